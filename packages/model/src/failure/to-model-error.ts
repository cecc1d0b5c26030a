/** Errors of requests that failed for good: cause, text of the service, and next step. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { ModelError, type ModelErrorCode } from '@truecast/core/internal/errors/model-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { suggest } from '@truecast/core/internal/options/suggest';
import { refusalIn, type RefusalCause } from './refusal.ts';
import { tellingTries, toldTries } from './tries.ts';

/** Errors that the SDK throws before it sends anything. */
const CALLERS_FAULTS: readonly string[] = [
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_InvalidMessageRoleError',
  'AI_LoadAPIKeyError',
  'AI_UnsupportedModelVersionError',
];

export interface RequestedModel {
  readonly model: string;
  /** Names that its service lists. */
  readonly known?: readonly string[] | undefined;
}

/** Returns the error of a request that failed permanently. Our own errors keep their text. */
export function toModelError(cause: unknown, asked?: RequestedModel): unknown {
  if (!(cause instanceof Error) || !cause.name.startsWith('AI_')) return tellingTries(cause);
  if (CALLERS_FAULTS.includes(cause.name)) {
    return new UsageError(`The AI SDK refused the call: ${cut(cause.message)} Correct the call.`, { cause });
  }
  const refusal = refusalIn(cause);
  if (refusal === undefined) {
    return new ModelError(
      `The model's service could not be called: ${saidIn(cause)}. Check the model, its key and its address.${toldTries(cause)}`,
      { code: 'http', cause },
    );
  }
  const { cause: why, statusCode } = refusal;
  const status = statusCode === undefined ? '' : ` (status ${statusCode})`;
  const [what, next] = sentenceOf(why, asked);
  return new ModelError(`${what}${status}: ${saidIn(cause)}. ${next}${toldTries(cause)}`, {
    code: CODES[why] ?? 'http',
    cause,
    ...(statusCode !== undefined && { statusCode }),
  });
}

const CODES: Readonly<Partial<Record<RefusalCause, ModelErrorCode>>> = {
  'rate-limit': 'rate-limit',
  quota: 'rate-limit',
  'context-full': 'context-full',
};

/** What happened, and the next step. */
const SENTENCES: Readonly<Record<Exclude<RefusalCause, 'unknown-model'>, readonly [string, string]>> = {
  key: ["The model's service refused the key", 'Check `apiKey`: it must be a valid key of this service.'],
  access: ["The model's service refused access", 'Check the key, its rights, and the account.'],
  'rate-limit': ["The model's service limits the rate of requests", 'Try again later, or raise the limit.'],
  quota: [
    "The account at the model's service has no quota left",
    'Add credit to the account, or use another key.',
  ],
  'context-full': [
    "The request does not fit the model's context window",
    'Shorten the prompt, lower `maxOutputTokens`, or use a model or a server with a larger window.',
  ],
  'request-size': [
    "The model's service refused the request as too large",
    'Send less, or raise the limit of the service or of a proxy before it.',
  ],
  loading: [
    "The model's service is loading its model",
    'Wait until it is ready, or raise `timeouts.loadingMs`.',
  ],
  overloaded: ["The model's service is overloaded", 'Try again later, or use another model.'],
  slow: ["The model's service did not answer in time", 'Try again later, or check the service.'],
  service: ["The model's service failed", 'Try again later; if it happens again, read its log.'],
  path: ["The address is not one of a model's service", 'Check `baseURL`: it usually ends with `/v1`.'],
  refused: [
    "The model's service refused the request",
    'Correct what it names, or try another `mode` or model.',
  ],
};

/** Says that a service does not have a model, and which it has. */
export function missingModel(asked: RequestedModel): string {
  return sentenceOf('unknown-model', asked).join('. ');
}

function sentenceOf(cause: RefusalCause, asked: RequestedModel | undefined): readonly [string, string] {
  if (cause !== 'unknown-model') return SENTENCES[cause];
  const name = asked === undefined ? '' : ` \`${cut(asked.model)}\``;
  return [`The model's service does not have the model${name}`, nextOf(asked)];
}

/** More names are not read. */
const MAX_SHOWN = 8;

function nextOf(asked: RequestedModel | undefined): string {
  const known = asked?.known ?? [];
  if (asked === undefined || known.length === 0) return 'Correct `model`, or load the model there.';
  const shown = known.slice(0, MAX_SHOWN).map((name) => `\`${name}\``);
  const more = known.length > MAX_SHOWN ? ` and ${known.length - MAX_SHOWN} more` : '';
  const near = suggest(asked.model, known) ?? 'Correct `model`, or load the model there.';
  return `It has ${shown.join(', ')}${more}. ${near}`;
}

/** For servers with their own error format the SDK's message has the status only. */
function saidIn(cause: Error): string {
  const body = 'responseBody' in cause && typeof cause.responseBody === 'string' ? cause.responseBody : '';
  const isTold =
    body === '' || (cause.message !== '' && body.includes(JSON.stringify(cause.message).slice(1, -1)));
  return isTold ? cut(cause.message.replace(/\.$/u, '')) : `${cut(cause.message)}: ${cut(body)}`;
}
