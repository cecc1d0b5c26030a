/** Owns Copilot's command lines. */
import { randomUUID } from 'node:crypto';
import { assertSessionId } from '../session/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import { assertCommandFits, joinCommand } from './shell-quote.ts';

/** How much the model thinks. */
export type CopilotEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** What stands in every command line of one provider. */
export interface CopilotFlags {
  readonly model: string | undefined;
  readonly effort: CopilotEffort | undefined;
}

/** Where the CLI keeps its sessions, for a shell. */
export const COPILOT_SESSIONS = '"${COPILOT_HOME:-$HOME/.copilot}/session-state"';

/**
 * Builds the command that runs one prompt, which goes in on stdin, and prints its events.
 *
 * The CLI's stream tells its session at the very end, and no tokens. The session's id is chosen here and printed as the first line, so
 * that a process that is killed can be resumed. Tokens it writes to a file, summed over the whole session: behind its own lines the file
 * is printed as one more, and before a session that goes on, what was used until then.
 */
export function buildCopilotCommand(flags: CopilotFlags, options: AgentCommandOptions): PrintCommand {
  const session = sessionOf(options);
  const args = [...commonArgs(flags, options), ...session.args];
  const start = JSON.stringify({ type: 'session.start', data: { sessionId: session.id } });
  const command = [
    'truecast=$(mktemp -d) && trap \'rm -rf "$truecast"\' EXIT || exit',
    ...session.prepare,
    `printf '%s\\n' '${start}'`,
    `${joinCommand(['copilot', '--output-format', 'json', ...args])} --usage-output-file "$truecast/usage.json"; code=$?`,
    `if [ -s "$truecast/usage.json" ]; then tr -d '\\n' < "$truecast/usage.json"; echo; fi; exit "$code"`,
  ];
  return { command: assertCommandFits(command.join('; ')), stdin: options.prompt };
}

interface CommandSession {
  readonly id: string;
  readonly args: readonly string[];
  /** Shell commands that go before. */
  readonly prepare: readonly string[];
}

function sessionOf({ resumeSession, forkSession }: AgentCommandOptions): CommandSession {
  const newId = randomUUID();
  if (resumeSession === undefined) return { id: newId, args: [`--session-id=${newId}`], prepare: [] };
  const parent = assertSessionId(resumeSession);
  const events = `"$sessions"/${parent}/events.jsonl`;
  const tellUsed = `grep -F '"type":"session.usage_record"' ${events} 2>/dev/null`;
  const root = `sessions=${COPILOT_SESSIONS}`;
  if (forkSession !== true) {
    return { id: parent, args: resumeArgs(parent), prepare: [root, tellUsed] };
  }
  // No flag of the CLI's forks. Its session is its events, and they know their session by its id alone.
  const copy = `mkdir -p "$sessions"/${newId} && sed 's/${parent}/${newId}/g' ${events} > "$sessions"/${newId}/events.jsonl || exit`;
  return { id: newId, args: resumeArgs(newId), prepare: [root, copy, tellUsed] };
}

/** Builds the arguments of a session on a terminal. */
export function buildCopilotInteractiveArgs(
  flags: CopilotFlags,
  options: AgentCommandOptions,
): readonly string[] {
  const { prompt } = options;
  return ['copilot', ...commonArgs(flags, options), ...(prompt === '' ? [] : [`--interactive=${prompt}`])];
}

function commonArgs({ model, effort }: CopilotFlags, options: AgentCommandOptions): readonly string[] {
  return [
    // What was found on the PATH is what runs.
    '--no-auto-update',
    ...(options.dangerouslySkipPermissions ? ['--allow-all'] : []),
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['--reasoning-effort', effort]),
    ...mcpArgs(options),
  ];
}

/** Longest that one call of a tool may take: what judges an answer may run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

/** Adds to the user's own servers; allowed by name, its tools are asked about in no permission mode. */
function mcpArgs({ mcpServer }: AgentCommandOptions): readonly string[] {
  if (mcpServer === undefined) return [];
  const { name, command, args } = mcpServer;
  const server = { type: 'local', command, args, tools: ['*'], timeout: TOOL_TIMEOUT_MS };
  // The second flag takes all arguments up to the next one.
  return [
    `--additional-mcp-config=${JSON.stringify({ mcpServers: { [name]: server } })}`,
    `--allow-tool=${name}`,
  ];
}

/** Without `-C`, the CLI goes to the directory that the session was made in. */
function resumeArgs(id: string): readonly string[] {
  return [`--resume=${id}`, '-C', '.'];
}
