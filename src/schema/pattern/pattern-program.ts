/** Owns the program that a pattern becomes, and its instructions. Pure. */
import type { CodeSet } from './code-set.ts';

/** Numbers in each instruction: the operation and three operands. */
export const INSTRUCTION_SIZE = 4;

/** The `c` of a `span` without an upper bound. */
export const UNBOUNDED = 0x7f_ff_ff_ff;

/** A span pays each time that it has taken one more than so many code points: a text may be of millions. */
export const SPAN_MASK = 1023;

/** What an instruction does; `a`, `b` and `c` are its operands. */
export const OPERATION = {
  match: 0,
  /** One code point: `a`. */
  char: 1,
  /** One code point of the set `a`. */
  set: 2,
  /** The same to the left, inside a look-behind. */
  charBack: 3,
  setBack: 4,
  /** Go on at `a`, and should that fail at `b`; `c` counts these instructions. */
  split: 5,
  /** Go on at `a`. */
  jump: 6,
  start: 7,
  end: 8,
  boundary: 9,
  noBoundary: 10,
  /** As many code points of the set `a` as there are, `b` to `c` of them, none given back. */
  span: 11,
  /** The code that follows is a look-around; go on at `a`; `b` is 1 when it must not match. */
  look: 12,
  /** Put the position into the register `a`. */
  save: 13,
  /** Forget the registers `a` to `b`. */
  reset: 14,
  /** Fail when the position is still that of the register `a`: an empty turn of a loop. */
  check: 15,
  /** What one of the groups of the list `a` matched, once more; `b` is 1 to the left. */
  reference: 16,
} as const;

/** A pattern as code for the matcher. */
export interface PatternProgram {
  readonly code: Int32Array;
  readonly sets: readonly CodeSet[];
  readonly references: readonly (readonly number[])[];
  /** How many `split` instructions there are: each may keep one bit for each position of a text. */
  readonly splitCount: number;
  /** Registers: two for each group, then one for each loop. Zero when nothing refers to a group. */
  readonly registerCount: number;
  /** Whether a match can only begin at the start of the text. */
  readonly isAnchored: boolean;
  /** Whether it holds neither alternatives nor groups to remember: one pass tells. */
  readonly isStraight: boolean;
}
