/**
 * Exactness of JSON text: finds what its parsed value hides, such as repeated keys and numbers that a
 * double cannot hold, and half surrogates, which have no UTF-8 form. Pure.
 */
import { decimalOf } from './decimal-of.ts';
import { TextPlace } from './text-place.ts';
import { unquote, walkJson } from './walk-json.ts';

/** Part of JSON text that its parsed value does not represent exactly, or that a limit excludes. */
export interface InexactPart {
  readonly kind:
    | 'out-of-range'
    | 'integer'
    | 'doubled-key'
    | 'half-surrogate'
    | 'too-many-values'
    | 'too-deep';
  /** Path of the value, or of the key. */
  readonly path: readonly (string | number)[];
  /** States the problem and what to send instead. */
  readonly message: string;
}

/** Limits of a text. */
export interface TextLimits {
  /** Nesting depth of arrays and objects. */
  readonly maxDepth: number;
  /** Total of arrays, objects, strings, numbers and literals, without keys. */
  readonly maxValues: number;
}

const NO_LIMITS: TextLimits = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/** Literals that parsing can round. Most answers contain none and need no walk. */
const SUSPECT_NUMBER = /\d{16}|\d[eE]\+?\d{2}/u;
/** An escape of half of a surrogate pair. */
const HALF_ESCAPE = /\\u[dD][89a-fA-F]/u;

/** Returns the first part of `text` that its parsed `value` does not represent exactly. */
export function findInexact(text: string, value: unknown): InexactPart | undefined {
  const isSuspect = SUSPECT_NUMBER.test(text) || HALF_ESCAPE.test(text) || !text.isWellFormed();
  if (!isSuspect && !mayDoubleKeys(text, value)) return undefined;
  let found: InexactPart | undefined;
  reportFaults(text, (part) => {
    found = part;
    return true;
  });
  return found;
}

/**
 * Reports each fault of a well-formed text in order, until `report` returns true. Returns the offset of
 * that last one. Linear.
 */
export function reportFaults(
  text: string,
  report: (part: InexactPart) => boolean,
  { maxDepth, maxValues }: TextLimits = NO_LIMITS,
): number | undefined {
  const place = new TextPlace();
  const tell = (kind: InexactPart['kind'], depth: number, message: string): string | undefined =>
    report({ kind, path: place.pathAt(depth), message }) ? kind : undefined;
  let values = 0;
  return walkJson(text, {
    value(token, depth) {
      values += 1;
      place.value(depth, token === '[');
      if (values > maxValues)
        return tell('too-many-values', depth, `Expected at most ${maxValues} values, got more`);
      if (depth > maxDepth)
        return tell('too-deep', depth, `Expected at most ${maxDepth} levels, got deeper nesting`);
      const isString = token.startsWith('"');
      if (isString) return isWhole(token) ? undefined : tell('half-surrogate', depth, HALF);
      const number = judgeNumber(token);
      return number && tell(number.kind, depth, number.message);
    },
    key(token, depth, object) {
      const key = unquote(token);
      const isDoubled = place.key(key, depth, object);
      const message = `Expected each key once, but the key \`${key.slice(0, 60)}\` is repeated in one object: write it once`;
      if (isDoubled) return tell('doubled-key', depth, message);
      return isWhole(token) ? undefined : tell('half-surrogate', depth, HALF);
    },
  })?.at;
}

const HALF =
  'Expected whole characters, got half of a surrogate pair: write the whole character, or leave it out';

/** Half of a pair is written as itself or as an escape. Most strings contain neither. */
function isWhole(token: string): boolean {
  return token.isWellFormed() && (!HALF_ESCAPE.test(token) || unquote(token).isWellFormed());
}

/** Returns the problem of a literal, if it is a number that parsing changes. */
function judgeNumber(literal: string): Omit<InexactPart, 'path'> | undefined {
  const number = Number(literal);
  // Words are no numbers.
  if (!(Math.abs(number) > Number.MAX_SAFE_INTEGER)) return undefined;
  const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
  if (!Number.isFinite(number)) {
    const message = `Expected a number in range, got ${shown}, which is out of range: write a smaller number, or a string`;
    return { kind: 'out-of-range', message };
  }
  return decimalOf(literal) === decimalOf(String(number)) ? undefined : refuseInteger(shown);
}

function refuseInteger(shown: string): Omit<InexactPart, 'path'> {
  const message = `Expected a number that can be held exactly, got ${shown}: above 2^53, write it as a string`;
  return { kind: 'integer', message };
}

/** `JSON.stringify` writes larger numbers with an exponent. Such a number is a measure, not an id. */
const FIRST_WITH_EXPONENT = 1e21;

/**
 * Returns the first integer of a value that can be the result of rounding, or half of a surrogate pair.
 *
 * For values that another program parsed: `9007199254740992` can have been `9007199254740993`.
 */
export function findSuspect(root: unknown): InexactPart | undefined {
  const open: { readonly value: unknown; readonly path: readonly (string | number)[] }[] = [
    { value: root, path: [] },
  ];
  const seen = new Set<unknown>();
  for (const { value, path } of open) {
    if (typeof value === 'number' && isRounded(value)) return { ...refuseInteger(String(value)), path };
    if (typeof value === 'string' && !value.isWellFormed())
      return { kind: 'half-surrogate', path, message: HALF };
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'number' ? isRounded(member) : typeof member !== 'boolean')
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
