/** Outcome line: the record of one outcome, how it was obtained or why it is missing, without its payload. Pure. */
import type { Usage } from '../../kit/usage.ts';
import type { Outcome } from './outcome.ts';
import type { CheckedCommit } from './provenance.ts';

export interface OutcomeRecord {
  readonly time: Date;
  /** `ok`, or the code of the failure. */
  readonly code: string;
  /** Kind of the outcome, if the output allows others than an answer. */
  readonly outcome?: Outcome<unknown>['outcome'] | undefined;
  /** Mode of the answer. Absent without an answer. */
  readonly mode?: string | undefined;
  /** Number of attempts, the successful one included. */
  readonly attempts: number;
  /**
   * `ok` or an error code for each attempt, first one first. Failures after a valid answer are not
   * its fault.
   */
  readonly attemptCodes?: readonly string[] | undefined;
  /** From the start of the run to its end. */
  readonly durationMs?: number | undefined;
  /** Tag of the output. Absent in modes without one. */
  readonly tag?: string | undefined;
  /** Paths of validation issues, over all attempts, without values. */
  readonly issuePaths: readonly (readonly (string | number)[])[];
  /** Length of the answer's text, in UTF-16 units. */
  readonly rawChars?: number | undefined;
  /** Number of rules that the engine was not asked to hold. */
  readonly unenforced?: number | undefined;
  readonly schemaHash?: string | undefined;
  /** The commit on which the output's check passed. */
  readonly check?: CheckedCommit | undefined;
  readonly usage?: Usage | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

/**
 * A line must be written whole, or lines of two runs would mix. POSIX guarantees that for one
 * append, and longer lines are rarely a single append.
 */
const MAX_ISSUE_PATHS = 50;

/** Returns an outcome as one line of JSON, without the newline. */
export function outcomeLine({ time, issuePaths, ...rest }: OutcomeRecord): string {
  return JSON.stringify({
    time: time.toISOString(),
    ...rest,
    issuePaths: issuePaths.slice(0, MAX_ISSUE_PATHS).map((one) => one.join('/')),
  });
}
