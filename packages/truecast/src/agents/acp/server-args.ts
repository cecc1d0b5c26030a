/**
 * Arguments that give an agent the server of a run, for agents whose sessions cannot use it. The bridge adds
 * them, because it knows the command that marks the server's start. Pure.
 */
import type { McpServerCommand } from '../../ports/agent-provider.ts';
import { joinCommand } from '../../support/shell-quote.ts';
import type { AcpPresetName } from './presets.ts';

/** Timeout of one tool call. Validation of an answer can run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

type ServerArgs = (server: McpServerCommand) => readonly string[];

const SERVER_ARGS: Readonly<Partial<Record<AcpPresetName, ServerArgs>>> = {
  // By default it hides tools behind a search, and a session has no setting for one server. A server of the
  // command line replaces the one of the session with the same name.
  'qwen-code': ({ name, command, args }) => [
    '--mcp-config',
    JSON.stringify({ mcpServers: { [name]: { command, args, trust: true, alwaysLoadTools: true } } }),
  ],
  // It rejects servers of a session that are programs. Tools allowed by name need no approval.
  'copilot-acp': ({ name, command, args }) => [
    `--additional-mcp-config=${JSON.stringify({
      mcpServers: { [name]: { type: 'local', command, args, tools: ['*'], timeout: TOOL_TIMEOUT_MS } },
    })}`,
    `--allow-tool=${name}`,
  ],
};

/** Returns true if the preset's agent gets servers by its command line. */
export function takesServerArgs(preset: AcpPresetName | undefined): boolean {
  return preset !== undefined && SERVER_ARGS[preset] !== undefined;
}

/** Returns a command with the arguments that name its servers. */
export function withServerArgs(
  command: string,
  preset: AcpPresetName | undefined,
  servers: readonly McpServerCommand[],
): string {
  const toArgs = preset === undefined ? undefined : SERVER_ARGS[preset];
  if (toArgs === undefined || servers.length === 0) return command;
  return `${command} ${joinCommand(servers.flatMap(toArgs))}`;
}
