/** `openAICompatible()`: a server with the OpenAI Chat Completions API as a model. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import type * as Provider from '@ai-sdk/openai-compatible';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { loadPackage } from '@truecast/core/internal/errors/load-package';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { checkResponse } from './call/checked-fetch.ts';
import { rememberChat, type OpenChat } from './call/gather-reply.ts';
import { rememberModelList } from './call/known-models.ts';
import { rememberSecrets } from './call/model-mask.ts';
import { sendToModel } from './call/model-fetch.ts';
import { COMPATIBLE_PROVIDER } from './call/model-reply.ts';
import type { GenerateModel } from './call/generate-options.ts';
import { recognize, rememberPlace } from './ladder/engine.ts';

/** Server and model. */
export interface OpenAICompatibleOptions {
  /** URL up to and including `/v1`. */
  readonly baseURL: string;
  /** @default none is sent */
  readonly apiKey?: string;
  /** Model id on that server. */
  readonly model: string;
  /** Additional HTTP headers of each request. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Members that are added to the body of each request, such as `{ chat_template_kwargs: {
   * enable_thinking: false } }` or `{ options: { num_ctx: 16384 } }`. @default none
   */
  readonly body?: Readonly<Record<string, JsonValue>>;
}

/** Loaded at the first call. Both are optional peers. */
const NEEDED = ['@ai-sdk/openai-compatible', 'ai'];

type ChatModel = ReturnType<Provider.OpenAICompatibleProvider['chatModel']>;

/**
 * Creates a model from a server with the OpenAI Chat Completions API: Ollama, llama.cpp, vLLM, LM
 * Studio, a gateway.
 *
 * Nothing is loaded or sent before the first call. What the server can do is learned from its replies,
 * and kept by address and model until the process ends.
 *
 * @throws UsageError if `baseURL` is not a URL of `http` or `https`, or `model` is empty
 * @example
 * ```ts
 * const model = openAICompatible({ baseURL: 'http://localhost:8080/v1', model: 'qwen3-8b' });
 * const { output } = await generate({ model, prompt: 'Yes or no?', output: Output.choice({ options: ['yes', 'no'] }) });
 * console.log(output);
 * ```
 */
export function openAICompatible(options: OpenAICompatibleOptions): GenerateModel {
  return compatibleThrough(sendToModel, options);
}

/** As `openAICompatible()`, with the function that sends its requests. */
export function compatibleThrough(
  fetch: typeof sendToModel,
  options: OpenAICompatibleOptions,
): GenerateModel {
  assertKind(options, 'an object', 'options', 'Pass `{ baseURL, model }`.');
  const { baseURL, apiKey, model, headers, body } = options;
  checkAddress(baseURL);
  if (headers !== undefined) {
    assertKind(headers, 'an object', 'headers', "Write `{ name: 'value' }`, or leave it out.");
  }
  if (body !== undefined) assertKind(body, 'an object', 'body', 'Pass further members, or leave it out.');
  if (apiKey !== undefined) assertKind(apiKey, 'a string', 'apiKey', 'Pass the key, or leave it out.');
  if (typeof model !== 'string' || model === '') {
    throw new UsageError(
      `Expected \`model\` to be the name of a model of the server, got ${describeValue(model)}. Pass one that it serves.`,
    );
  }
  const open = openerOf(options);
  const send: OpenChat['send'] = async (input, init) => {
    const response = await fetch(input, init);
    recognize(lazy, response.headers.get('server'));
    return response;
  };
  let opened: Promise<ChatModel> | undefined;
  const load = (): Promise<ChatModel> => {
    opened ??= open(async (input, init) => checkResponse(await send(input, init), init), {
      isStreamed: false,
    });
    return opened;
  };
  const lazy: LazyModel = {
    specificationVersion: 'v4',
    provider: COMPATIBLE_PROVIDER,
    modelId: model,
    supportedUrls: {},
    doGenerate: async (options) => (await load()).doGenerate(options),
    doStream: async (options) => (await load()).doStream(options),
  };
  rememberChat(lazy, { open, send, check: checkResponse });
  rememberPlace(lazy, {
    baseURL,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
  });
  rememberModelList(lazy, {
    baseURL,
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
  });
  rememberSecrets(lazy, {
    ...(apiKey !== undefined && { apiKey }),
    ...(headers !== undefined && { headers }),
  });
  return lazy;
}

function checkAddress(baseURL: string): void {
  if (typeof baseURL !== 'string' || !URL.canParse(baseURL) || !/^https?:\/\//iu.test(baseURL)) {
    throw new UsageError(
      `Expected \`baseURL\` to be an address such as http://localhost:11434/v1, with \`http://\` or \`https://\`, got ${describeValue(baseURL)}.`,
    );
  }
  const { username, password } = new URL(baseURL);
  if (username === '' && password === '') return;
  throw new UsageError(
    'Expected `baseURL` without a user and a password, got both or one. Pass them in `headers`, as `authorization`.',
  );
}

/** Returns the function that opens the model. The provider's package is loaded once. */
function openerOf({ baseURL, apiKey, headers, body, model }: OpenAICompatibleOptions): OpenChat['open'] {
  let provider: Promise<typeof Provider> | undefined;
  return async (fetch, { isStreamed }) => {
    provider ??= loadPackage(NEEDED, () => import('@ai-sdk/openai-compatible'));
    const { createOpenAICompatible } = await provider;
    return createOpenAICompatible({
      name: 'openai-compatible',
      baseURL,
      ...(apiKey !== undefined && { apiKey }),
      ...(headers !== undefined && { headers: { ...headers } }),
      transformRequestBody: (sent) => ({ ...sent, ...(isStreamed && STREAMED), ...body }),
      includeUsage: true,
      fetch,
      supportsStructuredOutputs: true,
    }).chatModel(model);
  };
}

/** Members of a request for a stream, as the package sends them. */
const STREAMED = { stream: true, stream_options: { include_usage: true } };

type LazyModel = Pick<
  ChatModel,
  'specificationVersion' | 'provider' | 'modelId' | 'supportedUrls' | 'doGenerate' | 'doStream'
>;
