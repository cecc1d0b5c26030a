/** Owns the record of one try for an answer. Pure. */
import type { Usage } from './usage.ts';

/** One try for an answer, the failed ones too. */
export interface Attempt {
  /** `ok`, or the code of the failure. */
  readonly code: string;
  /** One line: what came of it. */
  readonly message: string;
  /** The text that was taken for the answer, as it stood. */
  readonly rawMatched?: string;
  readonly usage?: Usage;
}
