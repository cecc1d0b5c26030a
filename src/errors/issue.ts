/** Owns the one shape in which every validator's complaints are told. Pure. */

/** One complaint of a validator: where in the value, and what was wrong. */
export interface Issue {
  /** Property names and array indexes from the root of the value; empty for the value itself. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}
