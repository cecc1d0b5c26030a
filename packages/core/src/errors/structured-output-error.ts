/** Error of an answer that is missing, malformed or does not match its schema. Pure. */
import type { AnswerStep, NotProduced } from './base/answer-step.ts';
import { type Attempt, EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import type { Issue } from '../kit/issue.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/** Why the answer is missing or invalid. `docs/errors.md` lists a fix for each code. */
export type StructuredOutputErrorCode =
  | 'tag-not-found'
  | 'invalid-json'
  | 'schema-mismatch'
  | 'ambiguous'
  | 'truncated'
  | 'runaway'
  | 'too-large'
  | 'not-produced'
  | 'validator-error'
  | 'secret-in-output'
  | 'check-failed'
  | 'restarted';

/** Options of a `StructuredOutputError` besides its message. */
export interface StructuredOutputErrorOptions extends Partial<RunEvidence> {
  readonly code: StructuredOutputErrorCode;
  readonly cause?: unknown;
  readonly tag?: string | undefined;
  readonly rawMatched?: string | undefined;
  readonly issues?: readonly Issue[];
  readonly attempts?: readonly Attempt[];
  readonly reason?: NotProduced;
  readonly steps?: readonly AnswerStep[];
}

/**
 * Thrown when the agent finished but its answer is missing or invalid. The error carries the
 * agent's work. Nothing is cleaned up.
 *
 * @example
 * ```ts
 * if (StructuredOutputError.isInstance(error)) console.error(error.code, error.issues, error.branch);
 * ```
 */
export class StructuredOutputError extends EvidenceError {
  override readonly name: string = 'StructuredOutputError';
  declare readonly code: StructuredOutputErrorCode;
  /** The tag that was searched for. Undefined in modes without a tag. */
  readonly tag: string | undefined;
  /**
   * The unchanged text between the tags. Undefined if nothing was found or it was too large to
   * keep.
   */
  readonly rawMatched: string | undefined;
  /** The validator's issues, ordered by path. Empty unless `code` is `schema-mismatch`. */
  readonly issues: readonly Issue[];
  /** Every attempt, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Why a model that worked with `tools` gave no answer. Absent without `tools`. */
  declare readonly reason?: NotProduced;
  /** Its steps, oldest first. Absent without `tools`. */
  declare readonly steps?: readonly AnswerStep[];

  constructor(message: string, options: StructuredOutputErrorOptions) {
    super(message, options);
    this.tag = options.tag;
    this.rawMatched = options.rawMatched;
    this.issues = options.issues ?? [];
    this.attempts = options.attempts ?? [];
    brand(this, 'StructuredOutputError');
  }

  /**
   * Returns true if `error` is a `StructuredOutputError`, including one from another copy of the
   * package.
   */
  static override isInstance(error: unknown): error is StructuredOutputError {
    return isBranded(error, 'StructuredOutputError');
  }
}
