/**
 * Projection interface: folds over events that never throw, and safe payload readers. In sums of
 * tokens, an unreported count is unknown, not 0. Pure.
 */
import type { LedgerEvent } from './ledger-event.ts';

/** An incremental projection. The cost per event is independent of earlier events. */
export interface Fold<TView> {
  /** Applies the next event. Never throws. */
  apply(event: LedgerEvent): void;
  /** Returns the current view. Later events do not change the returned value. */
  read(): TView;
}

/** Returns an own property of `value`, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** Returns a string of the payload, or undefined. */
export function textOf(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Returns a finite, non-negative number of the payload, or 0. */
export function amountOf(value: unknown, name: string): number {
  const amount = memberOf(value, name);
  return typeof amount === 'number' && Number.isFinite(amount) && amount > 0 ? amount : 0;
}

/** Returns the entries of an object in order. Empty for anything else. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).map((name) => [name, memberOf(value, name)] as const);
}

/** Returns the strings of a list. Empty for anything else. */
export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Members of a call's `usage` that add up to its tokens. */
export const TOKEN_FIELDS: readonly string[] = [
  'inputTokens',
  'outputTokens',
  'cacheCreationInputTokens',
  'cacheReadInputTokens',
];

/** Returns the tokens of a call, or undefined if its service reported none. */
export function tokensOfCall({ payload }: Pick<LedgerEvent, 'payload'>): number | undefined {
  const usage = memberOf(payload, 'usage');
  if (usage === undefined) return undefined;
  return TOKEN_FIELDS.reduce((sum, name) => sum + amountOf(usage, name), 0);
}

/** Returns the cost of a call in US dollars, or undefined if it is unknown. */
export function costOfCall({ payload }: Pick<LedgerEvent, 'payload'>): number | undefined {
  const usage = memberOf(payload, 'usage');
  return memberOf(usage, 'costUsd') === undefined ? undefined : amountOf(usage, 'costUsd');
}

/**
 * Adds the tokens of a further call to a sum that starts with 0. The sum covers the calls with
 * counts. It is undefined while no call had any.
 */
export function addTokens(sum: number | undefined, tokens: number | undefined): number | undefined {
  if (tokens !== undefined) return (sum ?? 0) + tokens;
  return sum === 0 ? undefined : sum;
}
