/** Form of a mistake: the call, and what its message says. */

/** A caller without types. */
export type Untyped = never;

/** One mistake: the call, and what its message says. */
export interface Mistake {
  readonly title: string;
  call(): unknown;
  /** What was expected. */
  readonly expected: RegExp;
  /** What came. */
  readonly got: RegExp;
  /** What to do next. */
  readonly next: RegExp;
}

/** A row of the table. */
export function row(
  title: string,
  call: () => unknown,
  expected: RegExp,
  got: RegExp,
  next: RegExp,
): Mistake {
  return { title, call, expected, got, next };
}
