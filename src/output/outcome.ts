/** Owns the line that tells how one answer was got, or why there is none, without its payload. Pure. */
import type { Usage } from '../errors/usage.ts';

/** How one answer was got, or why there is none. */
export interface Outcome {
  readonly time: Date;
  /** `ok`, or the code of the failure. */
  readonly code: string;
  /** Way the answer took; absent where it never came to one. */
  readonly route?: string | undefined;
  /** Tries, the successful one included. */
  readonly attempts: number;
  /** `ok` or a code for each try, the first one first: what came after a valid answer is no fault of it. */
  readonly attemptCodes?: readonly string[] | undefined;
  /** From the start of the run to its end. */
  readonly durationMs?: number | undefined;
  /** Tag of the output; absent on routes without one. */
  readonly tag?: string | undefined;
  /** Where validators complained, over all attempts; no values. */
  readonly issuePaths: readonly (readonly (string | number)[])[];
  /** Length of the answer's text, in UTF-16 units. */
  readonly rawChars?: number | undefined;
  readonly schemaHash?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

/** A line is written whole, or lines of two runs would mix: POSIX promises that for one append, and longer ones are rarely one. */
const MAX_ISSUE_PATHS = 50;

/** Writes an outcome as one line of JSON, without its end. */
export function outcomeLine({ time, issuePaths, ...rest }: Outcome): string {
  return JSON.stringify({
    time: time.toISOString(),
    ...rest,
    issuePaths: issuePaths.slice(0, MAX_ISSUE_PATHS).map((one) => one.join('/')),
  });
}
