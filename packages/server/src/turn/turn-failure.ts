/**
 * Failure messages of turns: the reason, the number of attempts, the place and the rule of the last
 * refusal, and the next step. No value of a client or a model. Pure.
 */
import type { Known } from '@truecast/core/internal/shape/shape';
import type { NotProducedReason, ReceiptAttempt, RequestError } from '@truecast/client/internal/wire/receipt';

/** What happened, and the next step. */
const NOT_PRODUCED: Readonly<Record<Known<NotProducedReason>, readonly [string, string]>> = {
  text_only: [
    'The model always answered with text instead of submitting the answer.',
    'Send the message again, or use a model that supports a forced tool call.',
  ],
  validation_exhausted: [
    'No answer of the model fits the schema.',
    'Send the message again with a simpler schema at these places, or use another model.',
  ],
  unknown_tool: [
    'The model called three times in a row only tools that it was not offered.',
    'Send the message again, or use another model.',
  ],
  step_budget: [
    'The model used all steps of the turn without submitting the answer.',
    'Ask for less work in one message, or raise the step budget.',
  ],
  empty_response: ['The model returned an empty answer.', 'Send the message again, or use another model.'],
  refused: ['The model refused to answer.', 'Change the message, or use another model.'],
  truncated: [
    "The model's answer was cut off at its output limit.",
    'Raise the limit of output tokens, or ask for a shorter answer.',
  ],
};

/** Error of a request whose turn reached a limit, after these attempts. */
export function notProduced(
  reason: Known<NotProducedReason>,
  attempts: readonly ReceiptAttempt[] = [],
): RequestError {
  const [what, next] = NOT_PRODUCED[reason];
  const message = [what, ...refusals(attempts), next].join(' ');
  return { code: 'structured_output_not_produced', reason, message };
}

function refusals(attempts: readonly ReceiptAttempt[]): readonly string[] {
  const refused = attempts.filter(({ code }) => code !== 'ok');
  if (refused.length === 0) return [];
  const times = refused.length === 1 ? 'once' : `${refused.length} times`;
  const issue = refused.findLast(({ issues = [] }) => issues.length > 0)?.issues?.[0];
  if (issue === undefined) return [`Refused ${times}.`];
  const place = issue.path === '' ? '' : ` at \`${issue.path}\``;
  return [`Refused ${times}, the last time${place}: ${issue.rule.replace(/\.$/u, '')}.`];
}

/** Reasons why a request cannot start or continue. */
export type ConfigurationFault = 'broken' | 'planMode' | 'impossible' | 'contextFull';

const CONFIGURATION_ERRORS: Readonly<Record<ConfigurationFault, string>> = {
  broken: 'The stored response format cannot be used. Send the message again with its format.',
  planMode:
    'A response format cannot be answered in plan mode. Switch plan mode off, and send the message again.',
  impossible:
    'The model supports neither tools nor a schema mode. Choose a model that can, and send the message again.',
  contextFull:
    'The conversation is still too long for the model right after it was summarized. Choose a model with a larger context, or start a new chat.',
};

/** Error of a request that cannot run. */
export function configurationError(cause: ConfigurationFault): RequestError {
  return { code: 'configuration_error', message: CONFIGURATION_ERRORS[cause] };
}
