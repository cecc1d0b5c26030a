/** Owns letting the caller's own check judge an answer that its schema accepted. */
import { describeValue } from '../errors/describe-value.ts';
import { StructuredOutputError } from '../errors/structured-output-error.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { AnyOutputDefinition, OutputOptions } from '../output/definition.ts';
import type { SafeExtractResult } from '../output/safe-extract-result.ts';

/** A returned message becomes an issue of the whole value, so that it travels to the model as the schema's own would. */
export async function checkAnswer(
  answer: SafeExtractResult<unknown>,
  output: AnyOutputDefinition,
  signal: AbortSignal | undefined,
): Promise<SafeExtractResult<unknown>> {
  if (!answer.success || output.check === undefined) return answer;
  const shared = { tag: output.tag, rawMatched: answer.provenance.raw };
  try {
    const message = await checkOf(output)?.(answer.value, {
      worktreePath: process.cwd(),
      exec: noSandbox,
      signal: signal ?? new AbortController().signal,
    });
    if (message === undefined) return answer;
    const issues = [{ path: [], message }];
    const text = `The answer fits its schema, but its check said: ${message} Correct the answer.`;
    return {
      success: false,
      error: new StructuredOutputError(text, { ...shared, code: 'schema-mismatch', issues, cause: issues }),
    };
  } catch (cause) {
    signal?.throwIfAborted();
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

function noSandbox(): Promise<never> {
  return Promise.reject(
    new UsageError('A check in `generate()` has no sandbox to run commands in. Use `run()` for that.', {
      code: 'unsupported',
    }),
  );
}
