/**
 * Deviations of local inference servers from OpenAI Chat Completions, as observed in bodies of
 * Ollama 0.31, llama.cpp b9554, vLLM 0.21 and LM Studio 0.4, and in the behavior of llama-server 11434
 * and llama-cpp-python 0.3.36. Pure.
 */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ChatRequest } from './chat-request.ts';
import type { ScriptedWireAnswer, WireError } from '../turn/model-wire.ts';
import type { JsonObject } from '../openai-responses/responses-items.ts';
import type { LocalServerName, TurnToolChoice } from '../turn/scripted-turn.ts';
import { heldByLlamaCppPython, heldByLlamaServer, type SchemaConverter } from './held-schema.ts';

/** Differences on the wire. */
export interface ChatDialect {
  /** `system_fingerprint` of every body. */
  fingerprint(model: string): string | null;
  /** Fields that carry a model's reasoning. */
  readonly reasoningFields: readonly string[];
  /** Empty fields of a message. */
  readonly emptyFields: JsonObject;
  readonly choiceFields: JsonObject;
  /** Fields of a body, after those of the service. */
  readonly bodyFields: JsonObject;
  /** `content` of a message with calls only. */
  readonly contentOfCalls: string | null;
  /** True if streamed calls are whole, with the role in every delta. */
  readonly isStreamCoarse: boolean;
  /** The server's refusals, instead of the service's. */
  refusal?(request: ChatRequest): WireError | undefined;
  encodeError?(error: WireError): ScriptedWireAnswer;
  /** Conversion of schemas to a grammar. @default the whole schema is enforced */
  readonly convert?: SchemaConverter;
  /** The enforced choice. @default the posted one */
  enforced?(choice: TurnToolChoice): TurnToolChoice;
}

/**
 * The service itself. It hides reasoning; compatible servers return it in the field that clients
 * read.
 */
export const OPENAI_CHAT_DIALECT: ChatDialect = {
  fingerprint: () => null,
  reasoningFields: ['reasoning_content'],
  emptyFields: { refusal: null, annotations: [] },
  choiceFields: { logprobs: null },
  bodyFields: {},
  contentOfCalls: null,
  isStreamCoarse: false,
};

/** Ignores `tool_choice`, and has no strict schemas. */
const OLLAMA: ChatDialect = {
  fingerprint: () => 'fp_ollama',
  reasoningFields: ['reasoning'],
  emptyFields: {},
  choiceFields: {},
  bodyFields: {},
  contentOfCalls: '',
  isStreamCoarse: true,
  refusal: () => undefined,
  encodeError: ({ statusCode, message, retryAfterSeconds }) => {
    const type = OLLAMA_ERRORS[statusCode] ?? 'api_error';
    return answer(statusCode, { error: { message, type, param: null, code: null } }, retryAfterSeconds);
  },
};

const OLLAMA_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
};

const LLAMA_CPP: ChatDialect = {
  fingerprint: () => 'b9554-d403f00ec',
  reasoningFields: ['reasoning_content'],
  emptyFields: {},
  choiceFields: {},
  bodyFields: {
    timings: { cache_n: 0, prompt_n: 10, prompt_ms: 251.51, predicted_n: 28, predicted_ms: 407.596 },
  },
  contentOfCalls: '',
  isStreamCoarse: false,
  refusal: () => undefined,
  encodeError: ({ statusCode, message, code, retryAfterSeconds }) => {
    const type = code ?? (statusCode < 500 ? 'invalid_request_error' : 'server_error');
    return answer(statusCode, { error: { code: statusCode, message, type } }, retryAfterSeconds);
  },
  convert: heldByLlamaServer,
  // Templates without tools drop the choice. With tools, free text can come before the call.
  enforced: (choice) => (choice === 'none' ? 'none' : 'auto'),
};

/** Its own server, on an older llama.cpp. Only a named tool is enforced. */
const LLAMA_CPP_PYTHON: ChatDialect = {
  fingerprint: () => null,
  reasoningFields: ['reasoning_content'],
  emptyFields: {},
  choiceFields: { logprobs: null },
  bodyFields: {},
  contentOfCalls: null,
  isStreamCoarse: false,
  refusal: ({ response_format: format }) =>
    format?.type === 'json_schema' ? { statusCode: 500, message: NO_JSON_SCHEMA } : undefined,
  encodeError: ({ statusCode, message, code = null, retryAfterSeconds }) => {
    const type = statusCode < 500 ? 'invalid_request_error' : 'internal_server_error';
    return answer(statusCode, { error: { message, type, param: null, code } }, retryAfterSeconds);
  },
  convert: heldByLlamaCppPython,
  enforced: (choice) => (choice === 'required' ? 'auto' : choice),
};

/** The server answers a request that does not validate with 500. */
const NO_JSON_SCHEMA =
  "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}]";

const VLLM: ChatDialect = {
  fingerprint: () => 'vllm-0.21.0-2426ae93',
  reasoningFields: ['reasoning', 'reasoning_content'],
  emptyFields: {
    refusal: null,
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: [],
    reasoning: null,
    reasoning_content: null,
  },
  choiceFields: { logprobs: null, stop_reason: null, token_ids: null },
  bodyFields: { service_tier: null, prompt_logprobs: null, prompt_token_ids: null, kv_transfer_params: null },
  contentOfCalls: '',
  isStreamCoarse: false,
  refusal: () => undefined,
  encodeError: ({ statusCode, message, param, retryAfterSeconds }) => {
    const type = statusCode < 500 ? 'BadRequestError' : 'InternalServerError';
    return answer(
      statusCode,
      { error: { message, type, param: param ?? null, code: statusCode } },
      retryAfterSeconds,
    );
  },
};

/**
 * With a schema, it returns a reasoning model's answer as its reasoning. A script simulates this
 * with `reply.thinking`.
 */
const LM_STUDIO: ChatDialect = {
  fingerprint: (model) => model,
  reasoningFields: ['reasoning_content'],
  emptyFields: { tool_calls: [] },
  choiceFields: { logprobs: null },
  bodyFields: { stats: {} },
  contentOfCalls: '',
  isStreamCoarse: false,
  refusal: ({ tool_choice: choice, response_format: format }) => {
    if (choice !== undefined && choice !== null && typeof choice !== 'string') {
      const message = "Invalid tool_choice type: 'object'. Supported string values: none, auto, required";
      return { statusCode: 400, message };
    }
    if (format?.type !== 'json_object') return undefined;
    return { statusCode: 400, message: "'response_format.type' must be 'json_schema' or 'text'" };
  },
  encodeError: ({ statusCode, message, retryAfterSeconds }) =>
    answer(statusCode, { error: message }, retryAfterSeconds),
};

export const LOCAL_SERVERS: Readonly<Record<LocalServerName, ChatDialect>> = {
  'llama-cpp-python': LLAMA_CPP_PYTHON,
  'llama.cpp': LLAMA_CPP,
  'lm-studio': LM_STUDIO,
  ollama: OLLAMA,
  vllm: VLLM,
};

function answer(
  statusCode: number,
  body: JsonValue,
  retryAfterSeconds: number | undefined,
): ScriptedWireAnswer {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { statusCode, headers, body };
}
