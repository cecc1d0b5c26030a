/** Owns what every view is: a fold over events that cannot throw, whatever they hold; and safe ways to read a payload. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';

/** A view that grows event by event; the cost of an event does not depend on how many came before. */
export interface Fold<TView> {
  /** Takes in the next event. Never throws. */
  apply(event: LedgerEvent): void;
  /** Returns the view as it stands; later events do not change it. */
  read(): TView;
}

/** Returns a member of `value` that is its own, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** Returns a text of the payload; anything else is undefined. */
export function textOf(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Returns a number of the payload that can be counted with: finite and not negative; else 0. */
export function amountOf(value: unknown, name: string): number {
  const amount = memberOf(value, name);
  return typeof amount === 'number' && Number.isFinite(amount) && amount > 0 ? amount : 0;
}

/** Returns the members of an object by name, in their order; of anything else, none. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).map((name) => [name, memberOf(value, name)] as const);
}

/** Returns the strings of a list; of anything else, none. */
export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
