/** Projection interface: folds over events that never throw, and safe payload readers. Pure. */
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
