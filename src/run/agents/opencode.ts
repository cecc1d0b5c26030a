/** Owns `opencode()`: OpenCode as an agent. */
import {
  createOpencodeSessionStorage,
  type OpencodeSessionStorageOptions,
} from '../session/opencode-session.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
import { PLACEHOLDER_KEY, type ModelAccess } from './model-access.ts';
import { keyOf, modelServiceOf, type ModelService } from './model-services.ts';
import {
  buildOpencodeCommand,
  buildOpencodeInteractiveArgs,
  type OpencodeFlags,
} from './opencode-command.ts';
import { CONFIG_NAME, opencodeConfig } from './opencode-config.ts';
import { createOpencodeStreamParser } from './opencode-stream.ts';

/** Options of `opencode()`. */
export interface OpenCodeOptions {
  /** How much the model thinks, in the words of its provider: `high`, `max`, `minimal`. @default the CLI's own */
  readonly variant?: string;
  /** One of the CLI's own agents, such as `build` or `plan`. @default the CLI's own */
  readonly agent?: string;
  /** Environment for the agent. An `OPENCODE_CONFIG_CONTENT` that is to hold must be given here. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, where it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /**
   * Base URL of the model's service. A provider that OpenCode does not know must speak OpenAI's Chat Completions there, and its key is read
   * from `OPENAI_API_KEY`. Anthropic's ends in `/v1`. @default the provider's own
   */
  readonly baseUrl?: string;
  /** Where captured sessions are kept. */
  readonly sessionStorage?: OpencodeSessionStorageOptions;
}

/**
 * Makes OpenCode an agent. The `opencode` program must be on the PATH where it runs.
 *
 * It logs in as the CLI does: by the key of the model's provider in the environment, or what `opencode auth login` has stored.
 * The CLI repeats a refused request without a word for as long as it is told to wait; `idleTimeoutSeconds` ends that.
 *
 * @param model - `provider/model`; absent, the CLI's own default
 * @throws UsageError `invalid-option` for a `baseUrl` whose model names no provider, or an `OPENCODE_CONFIG_CONTENT` that is no JSON
 *
 * @example
 * ```ts
 * const agent = opencode('anthropic/claude-sonnet-4-6', { variant: 'high' });
 * ```
 */
export function opencode(
  model?: string,
  options: OpenCodeOptions = {},
): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
  const { baseUrl, variant, agent } = options;
  const service = apiOf(modelServiceOf(model, baseUrl), baseUrl);
  const config = options.env?.[CONFIG_NAME];
  const env = withBaseUrl(options.env ?? {}, opencodeConfig({ given: config, service, baseUrl }));
  const flags: OpencodeFlags = { model, variant, agent, service, baseUrl, config };
  return {
    name: 'opencode',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createOpencodeSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    hasEndEvent: true,
    canUseMcp: true,
    // It knows the prices of the models of its own catalogue only.
    reportsCost: service?.isKnown === true,
    program: 'opencode',
    installHint: 'npm install -g opencode-ai',
    modelAccess: (hostEnv) =>
      service === undefined ? undefined : opencodeModelAccess(service, { ...hostEnv, ...env }, config),
    buildPrintCommand: (commandOptions) => buildOpencodeCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildOpencodeInteractiveArgs(flags, commandOptions),
    createStreamParser: () => createOpencodeStreamParser(),
  };
}

/** On a terminal, too, the CLI is to find the base URL. */
function withBaseUrl(
  env: Readonly<Record<string, string>>,
  config: string | undefined,
): Readonly<Record<string, string>> {
  return config === undefined ? env : { ...env, [CONFIG_NAME]: config };
}

/** The CLI's client of Anthropic wants the version in its base URL. */
function apiOf(service: ModelService | undefined, baseUrl: string | undefined): ModelService | undefined {
  if (service?.provider !== 'anthropic' || baseUrl !== undefined) return service;
  return { ...service, baseUrl: `${service.baseUrl ?? ''}/v1` };
}

function opencodeModelAccess(
  service: ModelService,
  env: Readonly<Record<string, string | undefined>>,
  given: string | undefined,
): ModelAccess | undefined {
  const key = keyOf(service, env);
  // A server of one's own may need no key.
  if (service.baseUrl === undefined || (key === undefined && service.isKnown)) return undefined;
  return {
    upstreamUrl: service.baseUrl,
    headers: key === undefined ? {} : service.headers(key),
    environment: (loopbackUrl) => ({
      [service.keyName]: PLACEHOLDER_KEY,
      [CONFIG_NAME]: opencodeConfig({ given, service, baseUrl: loopbackUrl }) ?? '',
      // Catalogue, updates and language servers have no way in.
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    secretNames: [service.keyName],
  };
}
