/** Pattern program and its instruction set. Pure. */
import type { CodeSet } from './code-set.ts';

/** Numbers per instruction: the operation and three operands. */
export const INSTRUCTION_SIZE = 4;

/** The `c` of an unbounded `span`. */
export const UNBOUNDED = 0x7f_ff_ff_ff;

/** Code points of a span between two charges: a text can have millions. */
export const SPAN_MASK = 1023;

/** Operations. `a`, `b` and `c` are operands. */
export const OPERATION = {
  match: 0,
  /** One code point: `a`. */
  char: 1,
  /** One code point of the set `a`. */
  set: 2,
  /** The same to the left, inside a look-behind. */
  charBack: 3,
  setBack: 4,
  /** Continue at `a` and, on failure, at `b`. `c` numbers these instructions. */
  split: 5,
  /** Continue at `a`. */
  jump: 6,
  start: 7,
  end: 8,
  boundary: 9,
  noBoundary: 10,
  /** Possessive repeat: as many code points of the set `a` as possible, `b` to `c` of them. */
  span: 11,
  /** The following code is a look-around. Continue at `a`. `b` is 1 if it must not match. */
  look: 12,
  /** Store the position in the register `a`. */
  save: 13,
  /** Reset the registers `a` to `b`. */
  reset: 14,
  /** Fail if the position equals the register `a`: an empty iteration. */
  check: 15,
  /** Backreference to one of the groups in list `a`. `b` is 1 for matching to the left. */
  reference: 16,
} as const;

export interface PatternProgram {
  readonly code: Int32Array;
  readonly sets: readonly CodeSet[];
  readonly references: readonly (readonly number[])[];
  /** Number of `split` instructions: each can keep one bit per position of a text. */
  readonly splitCount: number;
  /** Number of registers: two per group, then one per loop. Zero if nothing refers to a group. */
  readonly registerCount: number;
  /** True if a match can begin only at the start of the text. */
  readonly isAnchored: boolean;
  /** True if it has neither alternatives nor groups, so that one pass decides. */
  readonly isStraight: boolean;
}
