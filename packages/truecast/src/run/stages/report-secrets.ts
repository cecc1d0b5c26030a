/**
 * Secrets in answers: an answer is never altered, so a secret in it causes a warning or, depending
 * on the policy, a failure.
 */
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { RunAnswer } from '../context/run-answer.ts';
import { findSecrets } from '@truecast/host/internal/masking/find-secrets';
import type { WorkingContext } from '../context/run-context.ts';

/** Maximum number of reported places. More would add no information. */
const MAX_PLACES = 5;

/**
 * Searches a valid answer for secrets, before anything is merged.
 *
 * @throws StructuredOutputError `secret-in-output` with `policies.secretsInOutput: 'error'`
 */
export function reportSecrets(context: WorkingContext, answer: RunAnswer | undefined): void {
  const { options, mask, progress, warn } = context;
  if (answer === undefined || options.secretsInOutput === 'allow') return;
  const places = findSecrets(answer.value, mask, MAX_PLACES);
  if (places.length === 0) return;
  const where = places.map((path) => (path === '' ? 'its root' : `\`${path}\``)).join(', ');
  if (options.secretsInOutput === 'error') {
    throw new StructuredOutputError(
      `The answer contains a secret at ${where}, and \`policies.secretsInOutput\` is 'error'. The work is kept. Hide the secret from the agent, or allow it with \`policies.secretsInOutput: 'warn'\`.`,
      { code: 'secret-in-output', tag: options.output?.tag, attempts: progress.attempts },
    );
  }
  warn(
    `secret-in-output: The answer contains a secret at ${where}. It is returned unchanged. Set \`policies.secretsInOutput: 'error'\` to reject such answers.`,
  );
}
