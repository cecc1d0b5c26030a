/** Owns `copilot()`: GitHub's Copilot CLI as an agent. */
import {
  createCopilotSessionStorage,
  type CopilotSessionStorageOptions,
} from '../session/copilot-session.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
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
  /** @default the CLI's own */
  readonly effort?: CopilotEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, where it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Where sessions are, when not where the CLI puts them. */
  readonly sessionStorage?: CopilotSessionStorageOptions;
}

/**
 * Makes GitHub's Copilot CLI an agent. The `copilot` program must be on the PATH where it runs.
 *
 * It logs in as the CLI does: by `COPILOT_GITHUB_TOKEN`, or what `copilot login` has stored. A model service of one's own is told by
 * `COPILOT_PROVIDER_BASE_URL` and `COPILOT_PROVIDER_API_KEY`, with `COPILOT_OFFLINE=true` where GitHub is not to be asked at all.
 *
 * @param model - absent, the CLI's own default; a service of one's own needs one
 *
 * @example
 * ```ts
 * const agent = copilot('gpt-5.4', { effort: 'high' });
 * ```
 */
export function copilot(
  model?: string,
  options: CopilotOptions = {},
): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
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
    buildPrintCommand: (commandOptions) => buildCopilotCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCopilotInteractiveArgs(flags, commandOptions),
    createStreamParser: () => createCopilotStreamParser(),
  };
}
