/** Comparison with `@ai-hero/sandcastle`: one input, the outcome of each library, and whether they differ. */
import { expect, it } from 'vitest';
import { FORM } from '../matrix.ts';

/** Deliberate differences, as named in the first column of a table in `docs/migrate.md`. */
export const DIFFERENCES = [
  'a tag in prose or in a string',
  'an answer that was cut off',
  'one-line code fences',
  'session paths',
  'session ids',
  'paths below the worktree in a session',
  'bytes of a session',
  'tool calls',
  'results of a line',
  'failed turns of a line',
  'command lines',
  'sessions of OpenCode and Copilot',
  'placeholders',
  'invalid options',
] as const;

/** Name of a deliberate difference. */
export type Difference = (typeof DIFFERENCES)[number];

/** One row of the table. */
export interface OracleCase {
  readonly input: string;
  theirs(): unknown;
  ours(): unknown;
  /** Absent if both libraries must have the same outcome. */
  readonly differs?: Difference;
}

/** The outcome of a call. The wording of a refusal is each library's own. */
type Outcome = { readonly value: unknown } | { readonly refused: true };

/** Returns the outcome of a call that can throw or reject. */
async function outcomeOf(call: () => unknown): Promise<Outcome> {
  try {
    return { value: await call() };
  } catch {
    return { refused: true };
  }
}

/**
 * Declares one test for each case. A case with a difference fails if the libraries agree, so that
 * no difference is listed that is gone. Of the cases without one, the short form tries each `stride`-th.
 */
export function declareCases(cases: readonly OracleCase[], { stride = 1 } = {}): void {
  const tried = cases.filter(
    (one, index) => FORM === 'whole' || one.differs !== undefined || index % stride === 0,
  );
  it.each(tried.map((one) => [one.input, one] as const))('%s', async (_input, one) => {
    const [expected, received] = [await outcomeOf(one.theirs), await outcomeOf(one.ours)];
    if (one.differs === undefined) expect(received).toEqual(expected);
    else expect(received).not.toEqual(expected);
  });
}
