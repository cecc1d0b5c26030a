/** Owns the error for an answer that is missing, malformed or does not fit its schema. Pure. */
import type { Attempt } from './attempt.ts';
import type { Issue } from './issue.ts';
import { EvidenceError, type RunEvidence } from './run-evidence.ts';
import { brand, isBranded } from './truecast-error.ts';

/** Why there is no valid answer; `docs/errors.md` says what to do about each. */
export type StructuredOutputErrorCode =
  | 'tag-not-found'
  | 'invalid-json'
  | 'schema-mismatch'
  | 'truncated'
  | 'too-large'
  | 'not-produced'
  | 'validator-error';

/** What a `StructuredOutputError` carries beside its message. */
export interface StructuredOutputErrorOptions extends Partial<RunEvidence> {
  readonly code: StructuredOutputErrorCode;
  readonly cause?: unknown;
  readonly tag?: string | undefined;
  readonly rawMatched?: string | undefined;
  readonly issues?: readonly Issue[];
  readonly attempts?: readonly Attempt[];
}

/**
 * Says that the agent finished and its answer is missing or wrong. What the agent left behind is on the error; nothing is cleaned up.
 *
 * @example
 * ```ts
 * if (StructuredOutputError.isInstance(error)) console.error(error.code, error.issues, error.branch);
 * ```
 */
export class StructuredOutputError extends EvidenceError {
  override readonly name: string = 'StructuredOutputError';
  declare readonly code: StructuredOutputErrorCode;
  /** The tag that was searched for; undefined on routes without one. */
  readonly tag: string | undefined;
  /** The text between the tags as it stood; undefined when nothing was found or it was too large to keep. */
  readonly rawMatched: string | undefined;
  /** The validator's complaints in one shape, ordered by path; empty unless `code` is `schema-mismatch`. */
  readonly issues: readonly Issue[];
  /** Every try, the first one first. */
  readonly attempts: readonly Attempt[];

  constructor(message: string, options: StructuredOutputErrorOptions) {
    super(message, options);
    this.tag = options.tag;
    this.rawMatched = options.rawMatched;
    this.issues = options.issues ?? [];
    this.attempts = options.attempts ?? [];
    brand(this, 'StructuredOutputError');
  }

  /** Tells whether `error` is a `StructuredOutputError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is StructuredOutputError {
    return isBranded(error, 'StructuredOutputError');
  }
}
