/** The caller's check of an answer that its schema accepted. Pure. */
import { describeValue } from '../../kit/describe-value.ts';
import { StructuredOutputError } from '../../errors/structured-output-error.ts';
import type { OutputCheckContext, OutputOptions } from '../definition/definition.ts';
import type { SafeExtractResult } from '../definition/provenance.ts';

/** The part of a definition that its check needs. */
export interface CheckedDefinition {
  readonly tag?: string | undefined;
  /** Accepts the output of its own schema, which the type of a general definition does not include. */
  readonly check?: OutputOptions<unknown>['check'] | undefined;
}

/**
 * Runs the caller's check on a value that its schema accepted.
 *
 * A returned message becomes an issue of the whole value, so that it reaches the agent like an
 * issue of the schema.
 */
export async function checkAnswer(
  answer: SafeExtractResult<unknown>,
  { tag, check }: CheckedDefinition,
  context: OutputCheckContext,
): Promise<SafeExtractResult<unknown>> {
  if (!answer.success || check === undefined) return answer;
  const { raw } = answer.provenance;
  const shared = { tag, rawMatched: raw };
  try {
    const message = await check(answer.output, context);
    if (message === undefined) return answer;
    const issues = [{ path: [], message }];
    const text = `The answer fits its schema, but its check said: ${message} Correct the answer.`;
    return {
      success: false,
      error: new StructuredOutputError(text, { ...shared, code: 'schema-mismatch', issues, cause: issues }),
    };
  } catch (cause) {
    if (context.signal.aborted) throw context.signal.reason;
    const text = `The output's \`check\` threw ${describeValue(cause instanceof Error ? cause.message : cause)}. Return a message to reject an answer; fix the check.`;
    return {
      success: false,
      error: new StructuredOutputError(text, { ...shared, code: 'validator-error', cause }),
    };
  }
}
