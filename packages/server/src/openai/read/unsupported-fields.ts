/**
 * Fields of OpenAI's APIs that this server does not use. Those without which the answer would be another
 * are rejected. The others are named in a header of the answer. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { refused, type WireFailure } from '../wire/wire-failure.ts';

/** Rule of one field: the values without effect, and the reason why others are rejected. */
interface UnsupportedField {
  readonly isHarmless: (value: unknown) => boolean;
  readonly message: string;
}

const never = (): boolean => false;
const isOff = (value: unknown): boolean => value === false;

const CHAT: Readonly<Record<string, UnsupportedField>> = {
  n: { isHarmless: (value) => value === 1, message: 'Must be 1. Send separate requests instead.' },
  logprobs: {
    isHarmless: isOff,
    message: 'Token probabilities are not supported. Leave it out.',
  },
  top_logprobs: {
    isHarmless: (value) => value === 0,
    message: 'Token probabilities are not supported. Leave it out.',
  },
  logit_bias: {
    isHarmless: (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
    message: 'Token ids differ between models. Leave it out.',
  },
  audio: { isHarmless: never, message: 'Answers are text. Leave it out.' },
  modalities: {
    isHarmless: (value) => Array.isArray(value) && value.every((kind) => kind === 'text'),
    message: 'Answers are text. Leave it out, or set it to ["text"].',
  },
  functions: { isHarmless: never, message: 'Is deprecated. Use `tools`.' },
  function_call: { isHarmless: never, message: 'Is deprecated. Use `tool_choice`.' },
  web_search_options: {
    isHarmless: never,
    message: 'Tools hosted by OpenAI are not supported. Leave it out.',
  },
};

const RESPONSES: Readonly<Record<string, UnsupportedField>> = {
  previous_response_id: {
    isHarmless: never,
    message: 'Responses are not stored. Send the whole conversation in `input`.',
  },
  conversation: {
    isHarmless: never,
    message: 'Conversations are not stored. Send the whole conversation in `input`.',
  },
  background: {
    isHarmless: isOff,
    message: 'Responses are not stored. Leave it out, and stream the answer.',
  },
  prompt: { isHarmless: never, message: 'Prompts are not stored. Send `instructions` and `input`.' },
  max_tool_calls: { isHarmless: never, message: 'Only function tools are supported. Leave it out.' },
  top_logprobs: CHAT['top_logprobs'] ?? { isHarmless: never, message: '' },
};

/** Returns the reason why a body is rejected because of a field. A null field counts as absent. */
export function unsupportedField(
  body: Readonly<Record<string, unknown>>,
  api: 'chat' | 'responses',
): WireFailure | undefined {
  for (const [field, { isHarmless, message }] of Object.entries(api === 'chat' ? CHAT : RESPONSES)) {
    const value = body[field];
    if (value === undefined || value === null || isHarmless(value)) continue;
    return refused(field, `\`${field}\`: ${message}`, 'unsupported_parameter');
  }
  return undefined;
}

/** Fields that are read, or that do not change the answer. */
const KNOWN: Readonly<Record<'both' | 'chat' | 'responses', string>> = {
  both:
    'model stream stream_options temperature top_p parallel_tool_calls tools tool_choice user metadata store ' +
    'service_tier safety_identifier client_metadata top_logprobs prompt_cache_key prompt_cache_retention',
  chat:
    'messages response_format max_tokens max_completion_tokens seed stop n logprobs presence_penalty ' +
    'frequency_penalty logit_bias modalities prediction',
  responses: 'input instructions max_output_tokens text include truncation background',
};
const FIELD_NAME = /^[\w.-]{1,64}$/u;

/** Returns the names of fields with a value that this server does not use, such as `reasoning`. */
export function ignoredFields(
  body: Readonly<Record<string, unknown>>,
  api: 'chat' | 'responses',
): readonly string[] {
  const known = new Set(`${KNOWN.both} ${KNOWN[api]}`.split(' '));
  const fields = Object.keys(body).filter((field) => !known.has(field) && isGiven(body[field]));
  const { text } = body;
  const hasVerbosity = api === 'responses' && isRecord(text) && isGiven(text['verbosity']);
  // A header takes no other characters.
  return [...fields, ...(hasVerbosity ? ['text.verbosity'] : [])].filter((field) => FIELD_NAME.test(field));
}

function isGiven(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !isRecord(value) || Object.values(value).some(isGiven);
}
