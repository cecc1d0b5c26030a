/** Owns letting the caller's own check judge an answer that its schema accepted. Pure. */
import { describeValue } from '../errors/describe-value.ts';
import { StructuredOutputError } from '../errors/structured-output-error.ts';
import type { AnyOutputDefinition, OutputCheckContext, OutputOptions } from './definition.ts';
import type { SafeExtractResult } from './safe-extract-result.ts';

/**
 * Lets the caller's check judge a value that its schema accepted.
 *
 * A returned message becomes an issue of the whole value, so that it travels to the agent as the schema's own would.
 */
export async function checkAnswer(
  answer: SafeExtractResult<unknown>,
  output: AnyOutputDefinition,
  context: OutputCheckContext,
): Promise<SafeExtractResult<unknown>> {
  if (!answer.success || output.check === undefined) return answer;
  const { raw } = answer.provenance;
  const shared = { tag: output.tag, rawMatched: raw };
  try {
    const message = await checkOf(output)?.(answer.value, context);
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

/** A definition's check takes what its own schema gave; which schema that was, the type of any definition no longer says. */
function checkOf(output: AnyOutputDefinition): OutputOptions<unknown>['check'] {
  return output.check;
}
