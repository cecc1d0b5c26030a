/** Exactness of JSON text: finds numbers that a double cannot hold, and repeated keys. Pure. */
import { decimalOf } from './decimal-of.ts';
import { TextPlace } from './text-place.ts';
import { unquote, walkJson } from './walk-json.ts';

/** Part of JSON text that its parsed value does not represent exactly. */
export interface InexactPart {
  readonly kind: 'out-of-range' | 'integer' | 'doubled-key';
  readonly path: readonly (string | number)[];
  /** States the problem and what to send instead. */
  readonly message: string;
}

/** Literals that parsing can round. Most answers contain none and need no walk. */
const SUSPECT_NUMBER = /\d{16}|\d[eE]\+?\d{2}/u;

/** A number, from its first character. */
const NUMBER = /-?\d[\d.eE+-]*/uy;

/** Returns the first part of `text` that its parsed `value` does not represent exactly. */
export function findInexact(text: string, value: unknown): InexactPart | undefined {
  if (!SUSPECT_NUMBER.test(text) && !mayDoubleKeys(text, value)) return undefined;
  const place = new TextPlace();
  let found: InexactPart | undefined;
  walkJson(text, {
    value(start, depth) {
      place.value(depth, text[start] === '[');
      found = judgeNumber(numberAt(text, start), place.pathAt(depth));
      return found?.message;
    },
    key(token, depth, object) {
      const key = unquote(token);
      const isDoubled = place.key(key, depth, object);
      const message = `The key \`${key.slice(0, 60)}\` is repeated in one object. Write each key once.`;
      if (isDoubled) found = { kind: 'doubled-key', path: place.pathAt(depth), message };
      return found?.message;
    },
    string: () => undefined,
    ended: () => undefined,
  });
  return found;
}

/** Returns the problem of the number that starts here, if it is one that parsing changes. */
export function inexactNumberAt(text: string, start: number): Omit<InexactPart, 'path'> | undefined {
  return judgeNumber(numberAt(text, start), []);
}

function numberAt(text: string, start: number): string | undefined {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)?.[0];
}

function judgeNumber(
  literal: string | undefined,
  path: readonly (string | number)[],
): InexactPart | undefined {
  const number = Number(literal ?? 0);
  if (literal === undefined || Math.abs(number) <= Number.MAX_SAFE_INTEGER) return undefined;
  const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
  if (!Number.isFinite(number)) {
    const message = `Expected a number in range, got ${shown}: write a smaller number, or a string`;
    return { kind: 'out-of-range', path, message };
  }
  return decimalOf(literal) === decimalOf(String(number)) ? undefined : refuseInteger(shown, path);
}

function refuseInteger(shown: string, path: readonly (string | number)[]): InexactPart {
  const message = `Expected a number that can be held exactly, got ${shown}: above 2^53, write it as a string`;
  return { kind: 'integer', path, message };
}

/** `JSON.stringify` writes larger numbers with an exponent. Such a number is a measure, not an id. */
const FIRST_WITH_EXPONENT = 1e21;

/**
 * Returns the first integer of a value that can be the result of rounding.
 *
 * For values that another program parsed: `9007199254740992` can have been `9007199254740993`.
 */
export function findRounded(root: unknown): InexactPart | undefined {
  const open: { readonly value: unknown; readonly path: readonly (string | number)[] }[] = [
    { value: root, path: [] },
  ];
  const seen = new Set<unknown>();
  for (const { value, path } of open) {
    if (typeof value === 'number' && isRounded(value)) return refuseInteger(String(value), path);
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'number' ? isRounded(member) : typeof member === 'object')
        open.push({ value: member, path: [...path, Array.isArray(value) ? Number(key) : key] });
    }
  }
  return undefined;
}

function isRounded(value: number): boolean {
  const size = Math.abs(value);
  return size > Number.MAX_SAFE_INTEGER && size < FIRST_WITH_EXPONENT;
}

/**
 * Compares the colons of the text with the keys and the colons of the value's strings.
 *
 * Each key has one colon. A doubled key leaves a colon that the value does not account for.
 */
function mayDoubleKeys(text: string, root: unknown): boolean {
  if (typeof root !== 'object' || root === null) return false;
  // An escaped colon would hide one.
  if (/\\u003a/iu.test(text)) return true;
  let accounted = 0;
  const open: object[] = [root];
  const take = (member: unknown): void => {
    if (typeof member === 'string') accounted += countColons(member);
    else if (typeof member === 'object' && member !== null) open.push(member);
  };
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) value.forEach(take);
    else {
      for (const [key, member] of Object.entries(value)) {
        accounted += 1 + countColons(key);
        take(member);
      }
    }
  }
  return countColons(text) > accounted;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}
