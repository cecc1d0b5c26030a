/** Owns `pi()`: the Pi coding agent as an agent. */
import { createPiSessionStorage, type PiSessionStorageOptions } from '../session/pi-session.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
import { PLACEHOLDER_KEY, type ModelAccess } from './model-access.ts';
import { keyOf, modelServiceOf, type ModelService } from './model-services.ts';
import { buildPiCommand, buildPiInteractiveArgs, type PiFlags, type PiThinking } from './pi-command.ts';
import { createPiStreamParser } from './pi-stream.ts';

/** Options of `pi()`. */
export interface PiOptions {
  /** @default the CLI's own */
  readonly thinking?: PiThinking;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, where it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /**
   * Base URL of the model's service. A provider that Pi does not know must speak OpenAI's Chat Completions there, and its key is read from
   * `OPENAI_API_KEY`. @default the provider's own
   */
  readonly baseUrl?: string;
  /** Where sessions are, when not where the CLI puts them. */
  readonly sessionStorage?: PiSessionStorageOptions;
}

/**
 * Makes Pi an agent. The `pi` program must be on the PATH where it runs.
 *
 * It logs in as the CLI does: by the key of the model's provider in the environment, or what `/login` has stored.
 * It asks for no permissions and knows no MCP: what its tools may do is up to the sandbox.
 *
 * @param model - `provider/model`, or a pattern that the CLI resolves itself; absent, the CLI's own default
 * @throws UsageError `invalid-option` for a `baseUrl` whose model names no provider
 *
 * @example
 * ```ts
 * const agent = pi('anthropic/claude-sonnet-4-6', { thinking: 'high' });
 * ```
 */
export function pi(
  model?: string,
  options: PiOptions = {},
): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
  const { env = {}, thinking, baseUrl } = options;
  const service = modelServiceOf(model, baseUrl);
  const flags: PiFlags = { model, thinking, service, hasBaseUrl: baseUrl !== undefined };
  return {
    name: 'pi',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createPiSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    hasEndEvent: true,
    // It knows the prices of the models of its own catalogue only.
    reportsCost: service?.isKnown === true,
    program: 'pi',
    installHint: 'npm install -g @mariozechner/pi-coding-agent',
    modelAccess: (hostEnv) =>
      service === undefined ? undefined : piModelAccess(service, { ...hostEnv, ...env }),
    buildPrintCommand: (commandOptions) => buildPiCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildPiInteractiveArgs(flags, commandOptions),
    createStreamParser: () => createPiStreamParser(),
  };
}

function piModelAccess(
  service: ModelService,
  env: Readonly<Record<string, string | undefined>>,
): ModelAccess | undefined {
  const key = keyOf(service, env);
  // A server of one's own may need no key.
  if (service.baseUrl === undefined || (key === undefined && service.isKnown)) return undefined;
  return {
    upstreamUrl: service.baseUrl,
    headers: key === undefined ? {} : service.headers(key),
    // The base URL is no variable of the CLI's: it goes into the command line by `modelBaseUrl`.
    environment: () => ({
      [service.keyName]: PLACEHOLDER_KEY,
      // Updates and telemetry have no way out.
      PI_OFFLINE: '1',
    }),
    // The CLI prefers a login token to a key.
    secretNames: [service.keyName, 'ANTHROPIC_OAUTH_TOKEN'],
  };
}
