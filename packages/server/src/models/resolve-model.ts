/** Resolves a model name `provider:model`: SDK package, key, and capabilities. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { boundedFetch, sendToModel } from '@truecast/model/internal/call/model-fetch';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { KEY_VARIABLES } from '@truecast/model/internal/models-file/list-variables';
import { parseModelAddress, withoutPassword } from '@truecast/model/internal/models-file/model-address';
import { compatibleThrough } from '@truecast/model/internal/open-ai-compatible';
import type { ProviderToolName } from '../contract/tools.ts';
import type { ChatModel } from './chat-model.ts';
import { CAPABLE, providerFacts } from './provider-facts.ts';
import { probeContext } from '@truecast/model/internal/engine/probe-context';
import { anthropicTool, googleTool, openaiTool, pickProviderTools } from './provider-tools.ts';

/** Source of keys and URLs. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Creates the model of `anthropic:…`, `openai:…`, `google:…`, or `local:…`, which uses the Chat
 * Completions API at `TRUECAST_BASE_URL`. The server there is asked for its context window.
 *
 * @param providerTools - enabled provider-executed tools, if the provider has them
 * @throws UsageError for a name without a provider, an unknown provider, or a missing key or URL
 */
export async function resolveModel(
  id: string,
  environment: ModelEnvironment,
  providerTools: readonly ProviderToolName[] = [],
): Promise<ChatModel> {
  const address = parseModelAddress(id);
  if (address !== undefined) {
    throw new UsageError(
      `Expected a model as \`provider:model\`, got the address \`${withoutPassword(id)}\`. Set TRUECAST_BASE_URL to ${withoutPassword(address.url)}, and name the model \`local:${address.model ?? 'MODEL'}\`, or write a models file.`,
    );
  }
  const [, provider, name] = /^([a-z]+):(.+)$/su.exec(id) ?? [];
  if (provider === undefined || name === undefined) {
    throw new UsageError(
      `Expected a model as \`provider:model\`, such as \`anthropic:claude-sonnet-5-5\`, got \`${id}\`. Providers: ${PROVIDERS}.`,
    );
  }
  if (!Object.hasOwn(PLACES, provider)) {
    throw new UsageError(`Expected one of the providers ${PROVIDERS}, got \`${provider}\` in \`${id}\`.`);
  }
  const place = { provider, name, ...placeInEnvironment(provider, environment) };
  return makeModel(id, place, { environment, providerTools });
}

/** A provider's model, with its address and key. */
export interface ModelPlace {
  /** `anthropic`, `openai`, `google`, or `local` for any Chat Completions server. */
  readonly provider: string;
  /** Model id of the provider. */
  readonly name: string;
  /** @default the provider's own */
  readonly baseURL?: string | undefined;
  /** @default the key in the environment */
  readonly apiKey?: string | undefined;
  /** Context window, output included. @default the one that a local server reports */
  readonly contextTokens?: number | undefined;
  /** Members that are added to the body of every request of `local`. @default none */
  readonly body?: Readonly<Record<string, JsonValue>> | undefined;
  /** Sends the requests. @default one with the usual bounds */
  readonly fetch?: typeof fetch | undefined;
}

/** Source of keys, and the enabled provider-executed tools. */
export interface ModelSources {
  readonly environment: ModelEnvironment;
  readonly providerTools: readonly ProviderToolName[];
}

/**
 * Creates a model.
 *
 * @throws UsageError for a missing key or address
 */
export async function makeModel(
  id: string,
  place: ModelPlace,
  { environment, providerTools }: ModelSources,
): Promise<ChatModel> {
  const made = await MAKERS[place.provider]?.(place, environment);
  if (made === undefined) {
    throw new UsageError(`Expected one of the providers ${PROVIDERS}, got \`${place.provider}\`.`);
  }
  const isAsked = (tool: string): boolean => providerTools.some((asked) => asked === tool);
  const { provider, name, baseURL, apiKey } = place;
  // Only a known window is compacted before it is full.
  const probed = provider === 'local' && baseURL !== undefined ? { baseURL, apiKey, name } : undefined;
  const contextTokens = place.contextTokens ?? (probed && (await probeContext(probed)));
  return {
    id,
    ...made,
    ...(contextTokens !== undefined && { contextTokens }),
    providerTools: pickProviderTools(made.providerTools ?? {}, isAsked),
  };
}

type Maker = (place: ModelPlace, environment: ModelEnvironment) => Promise<Omit<ChatModel, 'id'>>;

/** Environment variable of each provider's address. */
const PLACES: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'GOOGLE_GEMINI_BASE_URL',
  local: 'TRUECAST_BASE_URL',
};

/** Address and key of a provider in the environment. */
export function placeInEnvironment(
  provider: string,
  environment: ModelEnvironment,
): Pick<ModelPlace, 'baseURL' | 'apiKey'> {
  const apiKey = provider === 'local' ? environment['TRUECAST_API_KEY'] : undefined;
  return { baseURL: environment[PLACES[provider] ?? ''], apiKey };
}

const MAKERS: Readonly<Record<string, Maker>> = {
  anthropic: async ({ name, baseURL, apiKey, fetch = boundedFetch }, environment) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const provider = createAnthropic({
      apiKey: apiKey ?? keyOf('anthropic', environment),
      fetch,
      ...(baseURL !== undefined && { baseURL: withVersion(baseURL, 'v1') }),
    });
    return {
      model: provider(name),
      ...providerFacts('anthropic', name),
      // Later versions run code to filter results, in containers that a chat would have to keep
      // across steps.
      providerTools: { web_search: anthropicTool(provider.tools.webSearch_20250305({})) },
    };
  },
  openai: async ({ name, baseURL, apiKey, fetch = boundedFetch }, environment) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const provider = createOpenAI({
      apiKey: apiKey ?? keyOf('openai', environment),
      fetch,
      ...(baseURL !== undefined && { baseURL }),
    });
    return {
      model: provider(name),
      ...providerFacts('openai', name),
      providerTools: { web_search: openaiTool(provider.tools.webSearch({})) },
    };
  },
  google: async ({ name, baseURL, apiKey, fetch = boundedFetch }, environment) => {
    const { createGoogle } = await import('@ai-sdk/google');
    const provider = createGoogle({
      apiKey: apiKey ?? keyOf('google', environment),
      fetch,
      ...(baseURL !== undefined && { baseURL: withVersion(baseURL, 'v1beta') }),
    });
    return {
      model: provider(name),
      ...providerFacts('google', name),
      providerTools: { web_search: googleTool(provider.tools.googleSearch({}), name) },
    };
  },
  local: ({ name, baseURL, apiKey, body, fetch = sendToModel }) => {
    if (baseURL === undefined) {
      throw new UsageError(
        `The model \`local:${name}\` needs the address of its server. Set TRUECAST_BASE_URL, such as http://localhost:11434/v1.`,
      );
    }
    const server = { baseURL, model: name, ...(apiKey !== undefined && { apiKey }) };
    const model = compatibleThrough(fetch, { ...server, ...(body !== undefined && { body }) });
    const engine = { url: baseURL, model: name, ...(apiKey !== undefined && { apiKey }) };
    return Promise.resolve({ model, ...providerFacts('openai-compatible', name), engine });
  },
};

const PROVIDERS = Object.keys(MAKERS).join(', ');

/** A model of a Chat Completions server that supports everything. */
export function compatibleModel(model: GenerateModel): Omit<ChatModel, 'id'> {
  return { model, capabilities: CAPABLE, hasExactArguments: true };
}

/**
 * Adds the version to a URL, because the services' own clients accept the URL with and without it.
 */
function withVersion(baseURL: string, version: string): string {
  const bare = baseURL.replace(/\/+$/u, '');
  return bare.endsWith(`/${version}`) ? bare : `${bare}/${version}`;
}

function keyOf(provider: string, environment: ModelEnvironment): string {
  const variable = KEY_VARIABLES[provider] ?? '';
  const key = environment[variable];
  if (key === undefined || key === '') {
    throw new UsageError(`A model of ${provider} needs an API key. Set ${variable}.`);
  }
  return key;
}
