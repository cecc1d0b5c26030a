/**
 * Validation of one call of the finalizer: its unchanged arguments, then the answer in them. Pure.
 */
import { invalidJsonError, mismatchError, tooLargeError } from '../definition/answer-errors.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import type { Provenance } from '../definition/provenance.ts';
import type { SafeExtractResult } from '../definition/safe-extract-result.ts';
import { safeValidateAnswer } from '../validate/validate-answer.ts';
import { FINALIZER_KEY } from './finalizer-tool.ts';
import { screenArguments, type FinalizerLimits } from './screen-arguments.ts';

/** Options of the validation. */
export interface JudgeOptions {
  readonly limits: FinalizerLimits;
  readonly route: Extract<Provenance['route'], 'mcp' | 'tool'>;
}

/**
 * Validates the arguments of one call. Never rejects: an error becomes a failure that can be
 * described to the caller.
 */
export async function judgeSubmission(
  argumentsText: string,
  definition: AnyOutputDefinition,
  { limits, route }: JudgeOptions,
): Promise<SafeExtractResult<unknown>> {
  const screened = screenArguments(argumentsText, limits);
  switch (screened.type) {
    case 'too-large':
      return { success: false, error: tooLargeError(definition, limits.maxBytes) };
    case 'malformed':
      return { success: false, error: invalidJsonError(definition, argumentsText, screened) };
    case 'not-enveloped': {
      const message = `Expected an object with the one key \`${FINALIZER_KEY}\`, which holds the whole answer`;
      const issues = [{ path: [], message }];
      return { success: false, error: mismatchError(definition, argumentsText, { issues, cause: issues }) };
    }
    case 'screened':
      return safeValidateAnswer(screened.value, definition, { route, raw: screened.raw });
    default:
      return screened satisfies never;
  }
}
