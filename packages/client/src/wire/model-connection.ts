/** Wire format of models that are connected while a server runs. */
import {
  integer,
  limited,
  literal,
  object,
  oneOf,
  openOneOf,
  optional,
  string,
  tagged,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { modelView } from './chat.ts';

const connectMembers = {
  /** `openai-compatible` is any Chat Completions API: Ollama, llama.cpp, vLLM, LM Studio, a gateway. */
  provider: oneOf('anthropic', 'openai', 'google', 'openai-compatible'),
  /** Model id of the provider, or on that server. */
  model: limited({
    pattern: String.raw`^[\w@][\w.:/@+\-]{0,149}$`,
    expected: 'Expected 1 to 150 letters, digits and `._:/@+-`',
  }),
  /** Base URL of an `openai-compatible` server, with `/v1`. Required for it alone. */
  address: optional(limited({ min: 1, max: 500 })),
  /** Kept in the memory of the process alone. Required unless the provider is `openai-compatible`. */
  api_key: optional(limited({ min: 8, max: 1_000 })),
};
/** A model to connect. */
export interface ConnectModelBody extends ObjectOf<typeof connectMembers> {}
export const connectModelBody: Shape<ConnectModelBody> = object(connectMembers, 'ConnectModel');

/** Why the test call failed. */
const connectFailure = openOneOf(
  'no_server',
  'no_host',
  'no_answer',
  'tls',
  'address',
  'not_http',
  'closed',
  'ended',
  'no_proxy',
  'proxy',
  'connection',
  'stream',
  'told',
  'silence',
  'timeout',
  'aborted',
  'unusable',
  'unreadable',
  'loading',
  'still_loading',
  'overloaded',
  'rate_limit',
  'quota',
  'service',
  'key',
  'access',
  'unknown_model',
  'path',
  'refused',
  'context_full',
  'request_size',
  'slow',
);
export type ConnectFailure = Of<typeof connectFailure>;

const refusedMembers = {
  type: literal('refused'),
  reason: connectFailure,
  /** What failed, and the next step. */
  message: string,
  /** The field of the request to correct, if one is the cause. */
  field: optional(string),
  /** HTTP status of the model's service. Absent without a response. */
  status_code: optional(integer),
};

/** Result of the test call: the connected model, or why it failed. A refused model is not connected. */
export const connectionView = tagged(
  {
    connected: object({ type: literal('connected'), model: modelView }),
    refused: object(refusedMembers),
  },
  'ModelConnection',
);
export type ConnectionView = Of<typeof connectionView>;
