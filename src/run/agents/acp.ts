/** Owns `acp()`: any agent that speaks the Agent Client Protocol. */
import { describeValue } from '../../errors/describe-value.ts';
import { SandboxError } from '../../errors/sandbox-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { bridgeCommand, bridgePaths } from './acp/bridge-program.ts';
import { createBridgeStreamParser } from './acp/bridge-stream.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
import { joinCommand } from './shell-quote.ts';

/** Options of `acp()`. */
export interface AcpOptions {
  /** What starts the agent in the protocol's mode: a shell command as it stands, or a program and its arguments, which are quoted. */
  readonly command: string | readonly string[];
  /** @default "acp" */
  readonly name?: string;
  /** Model, by the id that the agent offers. @default the agent's own */
  readonly model?: string;
  /** Way to log in, by the id that the agent offers. @default none: the agent is logged in already */
  readonly authMethod?: string;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** The Node that runs the bridge, 22 or later, where the agent works. @default "node" */
  readonly node?: string;
}

/**
 * Makes an agent of any program that speaks the Agent Client Protocol (version 1) on stdin and stdout: Gemini CLI, OpenCode and others.
 *
 * A small program beside it speaks the protocol, and needs `node` where the agent works. Leave is given to whatever the agent asks in a run. An answer can be
 * handed in by a tool (`via: 'mcp'`), and is asked for again in the same session where the agent can load one; its sessions stay where it keeps them, so
 * they are resumed without a sandbox or in a warm one. The agent reads and writes files itself.
 *
 * @see https://agentclientprotocol.com
 * @throws UsageError `invalid-option` when there is no command
 *
 * @example
 * ```ts
 * const agent = acp({ command: ['gemini', '--acp'], name: 'gemini', authMethod: 'gemini-api-key' });
 * ```
 */
export function acp(options: AcpOptions): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
  const { name = 'acp', model, authMethod, env = {}, node = 'node' } = options;
  const line = assertCommand(options.command);
  const [program] = typeof options.command === 'string' ? [] : options.command;
  return {
    name,
    ...(model !== undefined && { model }),
    env,
    captureSessions: false,
    sessionStorage: KEPT_BY_AGENT,
    canFork: true,
    canUseMcp: true,
    hasEndEvent: true,
    ...(program !== undefined && { program }),
    readonlyPaths: bridgePaths(),
    buildPrintCommand: ({ prompt, dangerouslySkipPermissions, resumeSession, forkSession, mcpServer }) =>
      bridgeCommand(node, {
        command: line,
        prompt,
        forksSession: forkSession === true,
        grantsPermissions: dangerouslySkipPermissions,
        mcpServers: mcpServer === undefined ? [] : [mcpServer],
        ...(model !== undefined && { model }),
        ...(authMethod !== undefined && { authMethod }),
        ...(resumeSession !== undefined && { resumeSession }),
      }),
    createStreamParser: () => createBridgeStreamParser(),
  };
}

/** The protocol tells no files of a session: the agent finds it by its id, where it made it. */
const KEPT_BY_AGENT: AgentSessionStorage = {
  isKeptByAgent: true,
  captureToHost: () =>
    Promise.reject(
      new SandboxError(
        'The session of an agent by `acp()` stays where the agent keeps it. Resume it there.',
        { code: 'copy' },
      ),
    ),
  resumeIntoSandbox: () => Promise.resolve(),
  findByIdOnHost: (sessionId) => Promise.resolve(sessionId),
};

function assertCommand(command: string | readonly string[]): string {
  const line = typeof command === 'string' ? command.trim() : joinCommand(command);
  if (line !== '' && line !== "''") return line;
  throw new UsageError(
    `Expected \`command\` to be what starts the agent, got ${describeValue(command)}. Write \`['gemini', '--acp']\`.`,
  );
}
