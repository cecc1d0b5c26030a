/**
 * Exactness of JSON text: finds what its parsed value hides, such as repeated keys and numbers that a
 * double cannot hold, and half surrogates, which have no UTF-8 form. Pure.
 */
import { findMember } from './find-member.ts';
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

export type PartProblem = Omit<InexactPart, 'path'>;

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
 *
 * @param excessAt - returns the limit that the next value breaks, inside `depth` containers
 */
export function reportFaults(
  text: string,
  report: (part: InexactPart) => boolean,
  excessAt: (depth: number) => PartProblem | undefined = () => undefined,
): number | undefined {
  const place = new TextPlace();
  const tell = (problem: PartProblem | undefined, depth: number): string | undefined =>
    problem && report({ ...problem, path: place.pathAt(depth) }) ? problem.kind : undefined;
  return walkJson(text, {
    value(token, depth) {
      place.value(depth, token === '[');
      return tell(excessAt(depth) ?? (token.startsWith('"') ? halfIn(token) : judgeNumber(token)), depth);
    },
    key(token, depth, object) {
      const key = unquote(token);
      const isDoubled = place.key(key, depth, object);
      const message = `Expected each key once, but the key \`${key.slice(0, 60)}\` is repeated: write it once`;
      return tell(isDoubled ? { kind: 'doubled-key', message } : halfIn(token), depth);
    },
  })?.at;
}

/** Half of a pair is written as itself or as an escape. Most strings contain neither. */
function halfIn(token: string): PartProblem | undefined {
  const isWhole = token.isWellFormed() && (!HALF_ESCAPE.test(token) || unquote(token).isWellFormed());
  return isWhole ? undefined : HALF;
}

const HALF: PartProblem = {
  kind: 'half-surrogate',
  message: 'Expected whole characters, got half of a surrogate pair: write the whole character',
};

/** Returns the problem of a literal, if it is a number that parsing changes. */
function judgeNumber(literal: string): PartProblem | undefined {
  const number = Number(literal);
  // Words are not numbers.
  if (!(Math.abs(number) > Number.MAX_SAFE_INTEGER)) return undefined;
  const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
  if (!Number.isFinite(number)) {
    const message = `Expected a number, got ${shown}, which is out of range: write a smaller one, or a string`;
    return { kind: 'out-of-range', message };
  }
  return decimalOf(literal) === decimalOf(String(number)) ? undefined : refuseInteger(shown);
}

function refuseInteger(shown: string): PartProblem {
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
  let suspect: PartProblem | undefined;
  const path = findMember(root, (value) => {
    if (typeof value === 'number' && isRounded(value)) suspect = refuseInteger(String(value));
    if (typeof value === 'string' && !value.isWellFormed()) suspect = HALF;
    return suspect !== undefined;
  });
  return suspect && path && { ...suspect, path };
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
      // Keys alone: pairs of a value with very many members take three times as long.
      const members = value as Readonly<Record<string, unknown>>;
      for (const key of Object.keys(members)) {
        accounted += 1 + countColons(key);
        take(members[key]);
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

/** Returns the decimal form; `0` for every zero. */
export function decimalOf(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/u, '');
  const significant = digits.replace(/0+$/u, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}
