/** Code point sets: character classes of a pattern. Pure. */

const ASCII_SIZE = 128;

/** Cost of a predicate in steps: it calls the engine. */
const STEPS_PER_TEST = 8;

const LAST_CODE_POINT = 0x10_ff_ff;

/** A range of code points, both ends included. */
export type CodeRange = readonly [first: number, last: number];

export interface CodeSetParts {
  readonly ranges: readonly CodeRange[];
  /** Predicates without ranges, such as `\p{L}`. */
  readonly tests?: readonly ((codePoint: number) => boolean)[];
  readonly isNegative?: boolean;
}

/** Membership test: constant time for ASCII, logarithmic otherwise. */
export class CodeSet {
  /** The only code point of the set, or -1. The matcher compares it without a call. */
  readonly only: number;
  /** Filled at the first test: many patterns are never matched. */
  #ascii: Uint8Array | undefined;
  readonly #ranges: readonly CodeRange[];
  readonly #tests: readonly ((codePoint: number) => boolean)[];
  readonly #isNegative: boolean;

  constructor({ ranges, tests = [], isNegative = false }: CodeSetParts) {
    this.#ranges = mergeRanges(ranges);
    this.#tests = tests;
    this.#isNegative = isNegative;
    this.only = tests.length === 0 && !isNegative ? onlyCodePoint(this.#ranges) : -1;
  }

  has(codePoint: number): boolean {
    if (this.only >= 0) return codePoint === this.only;
    if (codePoint >= ASCII_SIZE) return this.#find(codePoint);
    this.#ascii ??= this.#fillAscii();
    return this.#ascii[codePoint] === 1;
  }

  /**
   * Returns the steps of testing a number of consecutive code points, and the one that ended the
   * sequence.
   */
  stepsFor(count: number): number {
    return this.#tests.length === 0 ? count >>> 1 : (count + 1) * this.#tests.length * STEPS_PER_TEST;
  }

  /** Returns true if the sets are known to be disjoint; `false` also if unknown. */
  isDisjointFrom(other: CodeSet): boolean {
    if (this.#tests.length > 0 || other.#tests.length > 0) return false;
    const mine = this.#isNegative ? complement(this.#ranges) : this.#ranges;
    const theirs = other.#isNegative ? complement(other.#ranges) : other.#ranges;
    let at = 0;
    for (const [first, last] of mine) {
      while ((theirs[at]?.[1] ?? Number.POSITIVE_INFINITY) < first) at += 1;
      if ((theirs[at]?.[0] ?? Number.POSITIVE_INFINITY) <= last) return false;
    }
    return true;
  }

  /**
   * Returns the ranges in ascending order. A predicate has none: beyond ASCII, a set with predicates is
   * widened to all characters.
   */
  outline(): { readonly ranges: readonly CodeRange[]; readonly isExact: boolean } {
    if (this.#tests.length === 0) {
      return { ranges: this.#isNegative ? complement(this.#ranges) : this.#ranges, isExact: true };
    }
    const ranges: CodeRange[] = [[ASCII_SIZE, LAST_CODE_POINT]];
    for (let code = 0; code < ASCII_SIZE; code += 1) if (this.has(code)) ranges.push([code, code]);
    return { ranges: mergeRanges(ranges), isExact: false };
  }

  #fillAscii(): Uint8Array {
    const ascii = new Uint8Array(ASCII_SIZE);
    const [inside, outside] = this.#isNegative ? [0, 1] : [1, 0];
    if (outside === 1) ascii.fill(1);
    for (const [first, last] of this.#ranges) {
      for (let code = first; code <= last && code < ASCII_SIZE; code += 1) ascii[code] = inside;
    }
    for (const test of this.#tests) {
      for (let code = 0; code < ASCII_SIZE; code += 1) if (test(code)) ascii[code] = inside;
    }
    return ascii;
  }

  #find(codePoint: number): boolean {
    return (
      (inRanges(this.#ranges, codePoint) || this.#tests.some((test) => test(codePoint))) !== this.#isNegative
    );
  }
}

function onlyCodePoint(ranges: readonly CodeRange[]): number {
  const [range] = ranges;
  return range !== undefined && ranges.length === 1 && range[0] === range[1] ? range[0] : -1;
}

function inRanges(ranges: readonly CodeRange[], codePoint: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range === undefined || codePoint < range[0]) high = middle - 1;
    else if (codePoint > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

function mergeRanges(ranges: readonly CodeRange[]): readonly CodeRange[] {
  if (ranges.length < 2) return ranges;
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((left, right) => left[0] - right[0])) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** Returns the ranges that ascending ranges leave. */
export function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const gaps: CodeRange[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST_CODE_POINT) gaps.push([next, LAST_CODE_POINT]);
  return gaps;
}

const DIGITS: readonly CodeRange[] = [[0x30, 0x39]];
const WORD: readonly CodeRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/**
 * WhiteSpace and LineTerminator of ECMAScript: more than ASCII, less than Unicode's White_Space.
 */
const SPACE: readonly CodeRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
];
const LINE_ENDS: readonly CodeRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x20_28, 0x20_29],
];

/** `.` */
export const ANY_BUT_LINE_ENDS: CodeSet = new CodeSet({ ranges: LINE_ENDS, isNegative: true });
/** `\w` */
export const WORD_SET: CodeSet = new CodeSet({ ranges: WORD });

/** Returns the ranges of `\d \D \w \W \s \S`, or `undefined` for another letter. */
export function shorthandRanges(letter: string): readonly CodeRange[] | undefined {
  switch (letter) {
    case 'd':
      return DIGITS;
    case 'D':
      return complement(DIGITS);
    case 'w':
      return WORD;
    case 'W':
      return complement(WORD);
    case 's':
      return SPACE;
    case 'S':
      return complement(SPACE);
    default:
      return undefined;
  }
}
