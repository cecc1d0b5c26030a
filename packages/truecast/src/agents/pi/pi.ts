/** `pi()`: adapter for the Pi coding agent. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { createPiSessionStorage, type PiSessionStorageOptions } from './pi-session.ts';
import { providerHosts, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import type { ModelAccess } from '../../ports/model-access.ts';
import { modelServiceOf, serviceAccess, type ModelService } from '../stream/model-services.ts';
import { buildPiCommand, buildPiInteractiveArgs, type PiFlags, type PiThinking } from './pi-command.ts';
import { createPiStreamParser } from './pi-stream.ts';

/** Options of `pi()`. */
export interface PiOptions {
  /** Reasoning effort of the model. @default the CLI's default */
  readonly thinking?: PiThinking;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /**
   * Base URL of the model's service. A provider unknown to Pi must support OpenAI's Chat
   * Completions API there. Its key is read from `OPENAI_API_KEY`. @default the provider's default
   */
  readonly baseURL?: string;
  /** Session store, if it differs from the CLI's default. */
  readonly sessionStorage?: PiSessionStorageOptions;
}

const PI_OPTIONS: OptionNames<PiOptions> = {
  thinking: true,
  env: true,
  captureSessions: true,
  baseURL: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs Pi. The `pi` program must be on the PATH of the run's environment.
 *
 * It logs in as the CLI does: with the provider's key in the environment, or the login stored by
 * `/login`. It requests no permissions and does not support MCP. Only the sandbox limits its tools.
 *
 * @param model - `provider/model`, or a pattern that the CLI resolves itself; if absent, the CLI's
 *   default
 * @throws UsageError `invalid-option` for a `baseURL` if the model has no provider
 *
 * @example
 * ```ts
 * const agent = pi('anthropic/claude-sonnet-4-6', { thinking: 'high' });
 * ```
 */
export function pi(model?: string, options: PiOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`pi()`', names: PI_OPTIONS });
  const { env = {}, thinking, baseURL } = options;
  const service = modelServiceOf(model, baseURL);
  const flags: PiFlags = { model, thinking, service, hasBaseUrl: baseURL !== undefined };
  return {
    name: 'pi',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createPiSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    hasEndEvent: true,
    // It knows only the prices of models in its own catalog.
    reportsCost: service?.isKnown === true,
    program: 'pi',
    installHint: 'npm install -g @earendil-works/pi-coding-agent',
    modelAccess: (hostEnv) =>
      service === undefined ? undefined : piModelAccess(service, { ...hostEnv, ...env }),
    hosts: () => withHostOf(baseURL, providerHosts(model ?? '')),
    buildPrintCommand: (commandOptions) => buildPiCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildPiInteractiveArgs(flags, commandOptions),
    ...withLineView(() => createPiStreamParser()),
  };
}

function piModelAccess(
  service: ModelService,
  env: Readonly<Record<string, string | undefined>>,
): ModelAccess | undefined {
  // The CLI has no variable for the base URL. `modelBaseUrl` adds it to the command line.
  // Updates and telemetry are blocked.
  const access = serviceAccess(service, env, () => ({ PI_OFFLINE: '1' }));
  // The CLI prefers a login token over a key.
  return access && { ...access, secretNames: [service.keyName, 'ANTHROPIC_OAUTH_TOKEN'] };
}
