/** `opencode()`: adapter for OpenCode. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { createOpencodeSessionStorage, type OpencodeSessionStorageOptions } from './opencode-session.ts';
import { providerHosts, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import { modelServiceOf, serviceAccess, type ModelService } from '../stream/model-services.ts';
import {
  buildOpencodeCommand,
  buildOpencodeInteractiveArgs,
  type OpencodeFlags,
} from './opencode-command.ts';
import { CONFIG_NAME, opencodeConfig } from './opencode-config.ts';
import { createOpencodeStreamParser } from './opencode-stream.ts';

/** Options of `opencode()`. */
export interface OpenCodeOptions {
  /**
   * Reasoning effort in the provider's terms: `high`, `max`, `minimal`. @default the CLI's default
   */
  readonly variant?: string;
  /** Built-in agent of the CLI, such as `build` or `plan`. @default the CLI's default */
  readonly agent?: string;
  /**
   * Environment for the agent. Pass a custom `OPENCODE_CONFIG_CONTENT` here. Other sources of that
   * variable can be overridden. @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /**
   * Base URL of the model's service. A provider unknown to OpenCode must support OpenAI's Chat
   * Completions API there. Its key is read from `OPENAI_API_KEY`. Anthropic's base URL ends in
   * `/v1`. @default the provider's default
   */
  readonly baseURL?: string;
  /** Store of captured sessions. */
  readonly sessionStorage?: OpencodeSessionStorageOptions;
}

const OPENCODE_OPTIONS: OptionNames<OpenCodeOptions> = {
  variant: true,
  agent: true,
  env: true,
  captureSessions: true,
  baseURL: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs OpenCode. The `opencode` program must be on the PATH of the run's
 * environment.
 *
 * It logs in as the CLI does: with the provider's key in the environment, or the login stored by
 * `opencode auth login`. The CLI silently retries a rejected request for as long as the service
 * demands. `timeouts.idleMs` ends that wait.
 *
 * @param model - `provider/model`; if absent, the CLI's default
 * @throws UsageError `invalid-option` for a `baseURL` if the model has no provider, or if
 *   `OPENCODE_CONFIG_CONTENT` is not valid JSON
 *
 * @example
 * ```ts
 * const agent = opencode('anthropic/claude-sonnet-4-6', { variant: 'high' });
 * ```
 */
export function opencode(model?: string, options: OpenCodeOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`opencode()`', names: OPENCODE_OPTIONS });
  const { baseURL, variant, agent } = options;
  const service = apiOf(modelServiceOf(model, baseURL), baseURL);
  const config = options.env?.[CONFIG_NAME];
  const env = withBaseUrl(options.env ?? {}, opencodeConfig({ given: config, service, baseURL }));
  const flags: OpencodeFlags = { model, variant, agent, service, baseURL, config };
  return {
    name: 'opencode',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createOpencodeSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    hasEndEvent: true,
    canUseMcp: true,
    // It knows only the prices of models in its own catalog.
    reportsCost: service?.isKnown === true,
    program: 'opencode',
    installHint: 'npm install -g opencode-ai',
    modelAccess: (hostEnv) =>
      service &&
      serviceAccess(service, { ...hostEnv, ...env }, (baseURL) => ({
        [CONFIG_NAME]: opencodeConfig({ given: config, service, baseURL }) ?? '',
        // Catalog, updates and language servers cannot be downloaded.
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      })),
    hosts: () => withHostOf(baseURL, model === undefined ? undefined : providerHosts(model)),
    buildPrintCommand: (commandOptions) => buildOpencodeCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildOpencodeInteractiveArgs(flags, commandOptions),
    ...withLineView(() => createOpencodeStreamParser()),
  };
}

/** Interactive sessions need the base URL too. */
function withBaseUrl(
  env: Readonly<Record<string, string>>,
  config: string | undefined,
): Readonly<Record<string, string>> {
  return config === undefined ? env : { ...env, [CONFIG_NAME]: config };
}

/** The CLI's Anthropic client expects the version in its base URL. */
function apiOf(service: ModelService | undefined, baseURL: string | undefined): ModelService | undefined {
  if (service?.provider !== 'anthropic' || baseURL !== undefined) return service;
  return { ...service, baseURL: `${service.baseURL ?? ''}/v1` };
}
