/**
 * Unsupported fields of OpenAI's APIs. They are rejected, because ignoring them would change the
 * answer. Pure.
 */
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
