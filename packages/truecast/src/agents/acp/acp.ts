/** `acp()`: adapter for any agent that speaks the Agent Client Protocol. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { bridgeCommand, bridgePaths } from './bridge-program.ts';
import { createBridgeStreamParser } from './bridge-stream.ts';
import { unsetVariables } from '../unset-variables.ts';
import { withLineView } from '../stream/line-view.ts';
import { takesServerArgs } from './server-args.ts';
import { ACP_PRESETS, type AcpPreset, type AcpPresetName } from './presets.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import type { HostSessionStorage } from '../../ports/agent-sessions.ts';
import { joinCommand } from '../../support/shell-quote.ts';

/** Options of `acp()`. */
export interface AcpOptions {
  /** A tried agent, such as `qwen-code` or `kimi`: its command, login and name. */
  readonly preset?: AcpPresetName;
  /**
   * Command that starts the agent in protocol mode. A string is an unchanged shell command. An
   * array is a program and its arguments, which are quoted. With the presets `qwen-code` and
   * `copilot-acp`, `mode: 'mcp'` and `tools` need an array. @default the command of `preset`
   */
  readonly command?: string | readonly string[];
  /** Name of the agent in events, logs and errors. @default the name of `preset`, or "acp" */
  readonly name?: string;
  /** Model id that the agent offers. @default the agent's default */
  readonly model?: string;
  /**
   * Mode that the agent offers, such as `bypassPermissions` or `plan`. @default in a sandbox, the
   * most open known mode that it offers; with `noSandbox()`, the agent's default
   */
  readonly mode?: string;
  /** Id of a login method that the agent offers. @default none: the agent is already logged in */
  readonly authMethod?: string;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Node executable that runs the bridge, version 22 or later, in the agent's environment. @default
   * "node"
   */
  readonly node?: string;
}

const ACP_OPTIONS: OptionNames<AcpOptions> = {
  preset: true,
  command: true,
  name: true,
  model: true,
  mode: true,
  authMethod: true,
  env: true,
  node: true,
};

/**
 * Creates an agent from any program that speaks the Agent Client Protocol (version 1) on stdin and
 * stdout: Qwen Code, Kimi Code, the adapters of Claude and Codex, and others.
 *
 * A small bridge program next to the agent speaks the protocol. It needs `node` in the agent's
 * environment. In a run, all permission requests of the agent are granted. Some agents refuse their own tools
 * instead of asking, depending on their `mode`. An answer can be
 * submitted with a tool (`mode: 'mcp'`). A retry continues the same session if the agent can load
 * sessions. Sessions stay in the agent's own store. They can be resumed without a sandbox or in a
 * warm one. The agent reads and writes files itself.
 *
 * @see https://agentclientprotocol.com
 * @throws UsageError `invalid-option` for an unknown `preset`, and without a preset or a command
 *
 * @example
 * ```ts
 * const tried = acp({ preset: 'qwen-code' });
 * const any = acp({ command: ['gemini', '--acp'], name: 'gemini', authMethod: 'gemini-api-key' });
 * ```
 */
export function acp(options: AcpOptions): ResumableAgentProvider {
  assertKnownOptions(options, { of: '`acp()`', names: ACP_OPTIONS });
  const preset = presetOf(options.preset);
  const { name = options.preset ?? 'acp', model, mode, authMethod, env = {}, node = 'node' } = options;
  const command = options.command ?? preset?.command;
  const line = assertCommand(command);
  const [program] = typeof command === 'string' ? [] : (command ?? []);
  // A shell command can end with another program, so it gets no more arguments.
  const takesArgs = typeof command !== 'string' && takesServerArgs(options.preset);
  return {
    name,
    ...(model !== undefined && { model }),
    env,
    captureSessions: false,
    sessionStorage: KEPT_BY_AGENT,
    canFork: true,
    canUseMcp: takesArgs || !takesServerArgs(options.preset),
    hasEndEvent: true,
    ...(program !== undefined && { program }),
    readonlyPaths: bridgePaths(),
    ...(preset?.sandboxEnv !== undefined && { sandboxEnv: preset.sandboxEnv }),
    ...(preset !== undefined && {
      installHint: preset.installHint,
      hosts: () => preset.hosts?.(model),
    }),
    buildPrintCommand: ({ prompt, resumeSession, mcpServer, ...asked }) => ({
      ...bridgeCommand(node, {
        command: line,
        prompt,
        forksSession: asked.forkSession === true,
        grantsPermissions: asked.dangerouslySkipPermissions,
        opensMode: asked.isContained === true,
        mcpServers: mcpServer === undefined ? [] : [mcpServer],
        ...(takesArgs && { serverArgsOf: options.preset }),
        ...(mcpServer !== undefined &&
          preset?.serverMeta !== undefined && { sessionMeta: preset.serverMeta(mcpServer) }),
        ...(model !== undefined && { model }),
        ...(mode !== undefined && { mode }),
        ...(authMethod === undefined
          ? preset?.login !== undefined && { fallbackAuthMethod: preset.login }
          : { authMethod }),
        ...(resumeSession !== undefined && { resumeSession }),
      }),
      env: unsetVariables({ ...preset?.env, ...(mcpServer !== undefined && preset?.serverEnv) }, env),
    }),
    ...withLineView(() => createBridgeStreamParser()),
  };
}

/**
 * The protocol does not expose session files. The agent finds a session by its id in its own store.
 */
const KEPT_BY_AGENT: HostSessionStorage = {
  isKeptByAgent: true,
  captureToHost: () =>
    Promise.reject(
      new SandboxError(
        '`acp()` cannot copy sessions: the agent stores them itself. Resume the session in the same environment: the same open sandbox, or no sandbox.',
        { code: 'copy' },
      ),
    ),
  resumeIntoSandbox: () => Promise.resolve(),
  readHostSession: () => Promise.resolve(undefined),
  existsOnHost: () => Promise.resolve(true),
  hostSessionFilePath: () => undefined,
  findByIdOnHost: (sessionId) => Promise.resolve({ path: sessionId, searchedRoot: '' }),
};

function presetOf(name: AcpPresetName | undefined): AcpPreset | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(ACP_PRESETS, name)) return ACP_PRESETS[name];
  throw new UsageError(
    `Expected \`preset\` to be one of ${Object.keys(ACP_PRESETS).join(', ')}, got ${describeValue(name)}. For another agent, set \`command\`.`,
  );
}

function assertCommand(command: string | readonly string[] | undefined): string {
  const isWords = Array.isArray(command) && command.every((word) => typeof word === 'string');
  const line = typeof command === 'string' ? command.trim() : isWords ? joinCommand(command) : '';
  if (line !== '' && line !== "''") return line;
  throw new UsageError(
    `Expected \`command\` to be the command that starts the agent, got ${describeValue(command)}. Write \`['gemini', '--acp']\`, or set \`preset\`.`,
  );
}
