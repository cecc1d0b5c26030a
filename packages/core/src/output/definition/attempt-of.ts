/** Attempt records: one for each answer that was validated, on every route. Pure. */
import type { Attempt } from '../../errors/base/attempt.ts';
import type { Usage } from '../../errors/base/usage.ts';
import type { SafeExtractResult } from './safe-extract-result.ts';

/** Returns the record of an accepted answer. `rawMatched` is its unchanged text. */
export function acceptedAttempt(rawMatched: string): Attempt {
  return { code: 'ok', message: 'The answer is valid.', rawMatched };
}

/** Returns the message without a last sentence about `maxRetries`. An attempt can already be a retry. */
export function withoutRetryAdvice(message: string): string {
  const at = message.lastIndexOf('. ') + 1;
  return at > 0 && message.slice(at).includes('`maxRetries`') ? message.slice(0, at) : message;
}

/** Returns the record of a validated answer, with the usage of its calls if it is known. */
export function attemptOf(answer: SafeExtractResult<unknown>, usage?: Usage): Attempt {
  return { ...recordOf(answer), ...(usage !== undefined && { usage }) };
}

function recordOf(answer: SafeExtractResult<unknown>): Attempt {
  if (answer.success) return acceptedAttempt(answer.provenance.raw);
  const { code, message, rawMatched } = answer.error;
  return { code, message: withoutRetryAdvice(message), ...(rawMatched !== undefined && { rawMatched }) };
}
