/** Common format of validation issues, shared by all validators. Pure. */

/** A validation issue: its location in the value and its message. */
export interface Issue {
  /** Property names and array indexes from the root of the value. Empty for the value itself. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}
