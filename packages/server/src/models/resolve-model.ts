/** Resolves a model name `provider:model`: SDK package, key, and capabilities. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import type { ProviderToolName } from '../contract/tools.ts';
import type { ModelCapabilities } from '../finalizer/choose-mechanism.ts';
import type { ChatModel, ProviderOptions } from './chat-model.ts';
import { anthropicTool, googleTool, openaiTool, pickProviderTools } from './provider-tools.ts';

/** Source of keys and URLs. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/** Environment variable of each provider's key. */
export const KEY_VARIABLES: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};

/**
 * Creates the model of `anthropic:…`, `openai:…`, `google:…`, or `local:…`, which uses the Chat
 * Completions API at `TRUECAST_BASE_URL`.
 *
 * @param providerTools - enabled provider-executed tools, if the provider has them
 * @throws UsageError for a name without a provider, an unknown provider, or a missing key or URL
 */
export async function resolveModel(
  id: string,
  environment: ModelEnvironment,
  providerTools: readonly ProviderToolName[] = [],
): Promise<ChatModel> {
  const [, provider, name] = /^([a-z]+):(.+)$/su.exec(id) ?? [];
  if (provider === undefined || name === undefined) {
    throw new UsageError(
      `Expected a model as \`provider:model\`, such as \`anthropic:claude-sonnet-4-5\`, got \`${id}\`. Providers: ${PROVIDERS}.`,
    );
  }
  const make = MAKERS[provider];
  if (make === undefined) {
    throw new UsageError(`Expected one of the providers ${PROVIDERS}, got \`${provider}\` in \`${id}\`.`);
  }
  const made = await make(name, environment);
  const isAsked = (tool: string): boolean => providerTools.some((asked) => asked === tool);
  return { id, ...made, providerTools: pickProviderTools(made.providerTools ?? {}, isAsked) };
}

type Maker = (name: string, environment: ModelEnvironment) => Promise<Omit<ChatModel, 'id'>>;

const MAKERS: Readonly<Record<string, Maker>> = {
  anthropic: async (name, environment) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const baseURL = environment['ANTHROPIC_BASE_URL'];
    const provider = createAnthropic({
      apiKey: keyOf('anthropic', environment),
      ...(baseURL !== undefined && { baseURL: withVersion(baseURL, 'v1') }),
    });
    return {
      model: provider(name),
      // It rejects forced tool calls while it reasons (Anthropic, "Extended thinking with tool
      // use", 2026).
      capabilities: {
        ...CAPABLE,
        takesRequiredChoice: !UNFORCED.test(name),
        takesRequiredChoiceThinking: false,
        canStopThinking: true,
      },
      hasExactArguments: true,
      withoutThinking: { anthropic: { thinking: { type: 'disabled' } } },
      contextTokens: 200_000,
      // Later versions filter results by running code, in containers that a chat would have to keep
      // across steps.
      providerTools: { web_search: anthropicTool(provider.tools.webSearch_20250305({})) },
    };
  },
  openai: async (name, environment) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const baseURL = environment['OPENAI_BASE_URL'];
    const provider = createOpenAI({
      apiKey: keyOf('openai', environment),
      ...(baseURL !== undefined && { baseURL }),
    });
    // The service stores nothing of a chat: the rows are the source of truth.
    const providerOptions: ProviderOptions = { openai: { store: false } };
    return {
      model: provider(name),
      capabilities: CAPABLE,
      hasExactArguments: true,
      providerOptions,
      providerTools: { web_search: openaiTool(provider.tools.webSearch({})) },
    };
  },
  google: async (name, environment) => {
    const { createGoogle } = await import('@ai-sdk/google');
    const baseURL = environment['GOOGLE_GEMINI_BASE_URL'];
    const provider = createGoogle({
      apiKey: keyOf('google', environment),
      ...(baseURL !== undefined && { baseURL: withVersion(baseURL, 'v1beta') }),
    });
    // Its wire format has arguments as JSON values, not as text.
    return {
      model: provider(name),
      capabilities: CAPABLE,
      hasExactArguments: false,
      contextTokens: 1_000_000,
      providerTools: { web_search: googleTool(provider.tools.googleSearch({}), name) },
    };
  },
  local: (name, environment) => {
    const baseURL = environment['TRUECAST_BASE_URL'];
    if (baseURL === undefined) {
      throw new UsageError(
        `The model \`local:${name}\` needs the address of its server. Set TRUECAST_BASE_URL, such as http://localhost:11434/v1.`,
      );
    }
    const apiKey = environment['TRUECAST_API_KEY'];
    const model = openAICompatible({ baseURL, model: name, ...(apiKey !== undefined && { apiKey }) });
    return Promise.resolve(compatibleModel(model));
  },
};

/**
 * Models that reject every forced call. Their package then silently omits the force, so the turn
 * must know to add a reminder.
 */
const UNFORCED = /^claude-(?:sonnet-5-5|opus-5-5|fable-5-[12])/u;

const PROVIDERS = Object.keys(MAKERS).join(', ');

const CAPABLE: ModelCapabilities = {
  takesTools: true,
  takesRequiredChoice: true,
  takesRequiredChoiceThinking: true,
  takesNativeSchema: true,
  isThinking: false,
  canStopThinking: false,
};

/** Capabilities of any Chat Completions server. If it rejects one, another mechanism is used. */
export function compatibleModel(model: GenerateModel): Omit<ChatModel, 'id'> {
  return { model, capabilities: CAPABLE, hasExactArguments: true, contextTokens: 32_000 };
}

/** The services' own clients accept the URL with and without the version. */
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
