/** Record of one attempt at an answer. Pure. */
import type { Usage } from '../../kit/usage.ts';

/** One attempt at an answer. Failed attempts are included. */
export interface Attempt {
  /** `ok`, or the failure's code. */
  readonly code: string;
  /** Result of the attempt, in one line. */
  readonly message: string;
  /** The text that was read as the answer, unchanged. */
  readonly rawMatched?: string;
  readonly usage?: Usage;
}
