/** `copilot()`: adapter for GitHub's Copilot CLI. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { createCopilotSessionStorage, type CopilotSessionStorageOptions } from './copilot-session.ts';
import { AGENT_HOSTS, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import {
  buildCopilotCommand,
  buildCopilotInteractiveArgs,
  type CopilotEffort,
  type CopilotFlags,
} from './copilot-command.ts';
import { copilotModelAccess } from './copilot-model-access.ts';
import { createCopilotStreamParser } from './copilot-stream.ts';

/** Options of `copilot()`. */
export interface CopilotOptions {
  /** @default the CLI's default */
  readonly effort?: CopilotEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Session store, if it differs from the CLI's default. */
  readonly sessionStorage?: CopilotSessionStorageOptions;
}

const COPILOT_OPTIONS: OptionNames<CopilotOptions> = {
  effort: true,
  env: true,
  captureSessions: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs GitHub's Copilot CLI. The `copilot` program must be on the PATH of the
 * run's environment.
 *
 * It logs in as the CLI does: with `COPILOT_GITHUB_TOKEN`, or the login stored by `copilot login`.
 * Set `COPILOT_PROVIDER_BASE_URL` and `COPILOT_PROVIDER_API_KEY` for a custom model service. Add
 * `COPILOT_OFFLINE=true` to send no requests to GitHub.
 *
 * @param model - if absent, the CLI's default; required for a custom model service
 *
 * @example
 * ```ts
 * const agent = copilot('gpt-5.4', { effort: 'high' });
 * ```
 */
export function copilot(model?: string, options: CopilotOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`copilot()`', names: COPILOT_OPTIONS });
  const { env = {}, effort } = options;
  const flags: CopilotFlags = { model, effort };
  return {
    name: 'copilot',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createCopilotSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    canUseMcp: true,
    hasEndEvent: true,
    program: 'copilot',
    installHint: 'npm install -g @github/copilot',
    modelAccess: (hostEnv) => copilotModelAccess({ ...hostEnv, ...env }),
    hosts: (hostEnv) => {
      const all = { ...hostEnv, ...env };
      const hosts = withHostOf(all['COPILOT_API_URL'], AGENT_HOSTS.copilot);
      return withHostOf(all['COPILOT_PROVIDER_BASE_URL'], hosts);
    },
    buildPrintCommand: (commandOptions) => buildCopilotCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCopilotInteractiveArgs(flags, commandOptions),
    ...withLineView(() => createCopilotStreamParser()),
  };
}
