/**
 * Finalizer: handles each call of the tool, until one answer is accepted.
 *
 * open --rejected--> open (or spent, after too many) · open --accepted--> accepted · any but open:
 * every further call is refused
 */
import type { Attempt } from '../../errors/base/run-evidence.ts';
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { attemptOf, withAttempts } from '../definition/answer-errors.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { describeFailure, type DescribeFailureOptions } from '../validate/describe-failure.ts';
import type { SafeExtractResult } from '../definition/provenance.ts';
import { finalizerInstruction } from './finalizer-tool.ts';
import { judgeReply } from '../judge/drive.ts';
import type { ScreenProblem } from '../judge/judged.ts';
import { DEFAULT_FINALIZER_LIMITS, screenArguments, type FinalizerLimits } from './screen-arguments.ts';

export interface FinalizerOptions {
  /** Absent limits have their defaults. */
  readonly limits?: Partial<FinalizerLimits>;
  /** Number of rejected calls after which no further one is validated. @default 5 */
  readonly maxRejections?: number;
  /**
   * Level of detail of a rejection. The instruction is added.
   * @default 4 issues, 1024 characters, no values
   */
  readonly feedback?: Pick<DescribeFailureOptions, 'maxIssues' | 'maxChars' | 'values'>;
  /**
   * Validates an accepted answer further, or passes on the failure. Can be slow.
   * @default no further validation
   */
  check?(answer: SafeExtractResult<unknown>): Promise<SafeExtractResult<unknown>>;
}

/** Reply to the caller of the tool. All types except `accepted` are errors. */
export interface FinalizerReply {
  readonly type: 'accepted' | 'rejected' | 'refused';
  readonly text: string;
}

/** Handles the calls of one turn. */
export interface Finalizer {
  /**
   * Validates one call. `argumentsText` is the unchanged JSON of the arguments. Concurrent calls
   * are validated one after the other.
   *
   * Rejects with the exceptions of `check`.
   */
  submit(argumentsText: string): Promise<FinalizerReply>;
  /** Calls that were validated and not accepted, first one first. */
  readonly rejections: readonly Attempt[];
  /**
   * Waits for the current validation, accepts no further call, and returns the answer or the last
   * failure. Undefined without a submission.
   */
  settle(): Promise<SafeExtractResult<unknown> | undefined>;
}

const DEFAULT_FEEDBACK = { maxIssues: 4, maxChars: 1_024, values: false };
const DEFAULT_MAX_REJECTIONS = 5;

const TEXTS = {
  accepted: 'Accepted. The answer is final: hand in nothing more, and end your turn.',
  refusedAfterAcceptance:
    'Refused: an answer was accepted before, and it is final. Hand in nothing more, and end your turn.',
  refused: 'Refused: no further answer is taken. Hand in nothing more, and end your turn.',
  spent: 'No further answer is taken: end your turn.',
} as const;

export function createFinalizer(definition: AnyOutputDefinition, options: FinalizerOptions = {}): Finalizer {
  const { check, maxRejections = DEFAULT_MAX_REJECTIONS, feedback = DEFAULT_FEEDBACK } = options;
  const limits = { ...DEFAULT_FINALIZER_LIMITS, ...options.limits };
  const { maxBytes } = limits;
  const screen = (argumentsText: string): ScreenProblem | undefined => screenArguments(argumentsText, limits);
  const rejections: Attempt[] = [];
  let accepted: Extract<SafeExtractResult<unknown>, { readonly success: true }> | undefined;
  let lastError: StructuredOutputError | undefined;
  let isOpen = true;
  let judging: Promise<unknown> = Promise.resolve();

  const take = async (argumentsText: string): Promise<FinalizerReply> => {
    if (accepted !== undefined) return { type: 'refused', text: TEXTS.refusedAfterAcceptance };
    if (!isOpen) return { type: 'refused', text: TEXTS.refused };
    const reply = { submissions: [{ text: argumentsText }] };
    const judged = await judgeReply(reply, definition, { mode: 'mcp', maxBytes, screen });
    const answer = check === undefined ? judged : await check(judged);
    if (answer.success) {
      accepted = answer;
      isOpen = false;
      return { type: 'accepted', text: TEXTS.accepted };
    }
    rejections.push(attemptOf(answer));
    return reject(answer.error);
  };

  const reject = (error: StructuredOutputError): FinalizerReply => {
    lastError = error;
    const retriesLeft = maxRejections - rejections.length;
    // A validator that threw would throw again: only its author can fix it.
    isOpen = retriesLeft > 0 && error.code !== 'validator-error';
    const instruction = isOpen ? finalizerInstruction(error, retriesLeft - 1) : TEXTS.spent;
    return { type: 'rejected', text: describeFailure(error, { ...feedback, instruction }) };
  };

  return {
    rejections,
    submit(argumentsText) {
      const reply = judging.then(() => take(argumentsText));
      judging = reply.catch(() => undefined);
      return reply;
    },
    async settle() {
      await judging;
      isOpen = false;
      if (accepted !== undefined) {
        const { provenance } = accepted;
        const attempts = [...rejections, ...provenance.attempts];
        return { ...accepted, provenance: { ...provenance, attempts } };
      }
      return lastError === undefined
        ? undefined
        : { success: false, error: withAttempts(lastError, rejections) };
    },
  };
}
