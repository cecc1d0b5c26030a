/** Value at a JSON Pointer, and its short form for a sentence. Pure. */
import { ExactNumber } from './exact-json.ts';

const SHOWN_CHARS = 40;

/** Returns the value at a pointer. Undefined if the value does not have it. */
export function partAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
      value,
    );
}

/** Returns a value in a few characters. Undefined for an object, a list and an absent value. */
export function shortValue(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.digits;
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
