/** Command lines of Copilot. */
import { randomUUID } from 'node:crypto';
import { assertSessionId } from '../sessions/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import { assertCommandFits, joinCommand } from '../../support/shell-quote.ts';

/** Reasoning effort of the model. */
export type CopilotEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Flags common to all command lines of one provider. */
export interface CopilotFlags {
  readonly model: string | undefined;
  readonly effort: CopilotEffort | undefined;
}

/** Shell expression for the CLI's session folder. */
export const COPILOT_SESSIONS = '"${COPILOT_HOME:-$HOME/.copilot}/session-state"';

/**
 * Builds the command that runs one prompt from stdin and prints its events.
 *
 * The CLI's stream reports its session id only at the end, and no tokens. The session id is
 * therefore chosen here and printed as the first line, so that a killed process can be resumed. The
 * CLI writes its token totals for the whole session to a file, which is printed after its own
 * lines. Before a resumed session, its earlier usage is printed.
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
  /** Shell commands that run first. */
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
  // The CLI cannot fork. A session is a list of events, which refer to it only by its id.
  const copy = `mkdir -p "$sessions"/${newId} && sed 's/${parent}/${newId}/g' ${events} > "$sessions"/${newId}/events.jsonl || exit`;
  return { id: newId, args: resumeArgs(newId), prepare: [root, copy, tellUsed] };
}

/** Builds the arguments of an interactive session. */
export function buildCopilotInteractiveArgs(flags: CopilotFlags, options: AgentCommandOptions): string[] {
  const { prompt } = options;
  return ['copilot', ...commonArgs(flags, options), ...(prompt === '' ? [] : [`--interactive=${prompt}`])];
}

function commonArgs({ model, effort }: CopilotFlags, options: AgentCommandOptions): readonly string[] {
  return [
    // Run the version that was found on the PATH.
    '--no-auto-update',
    ...(options.dangerouslySkipPermissions ? ['--allow-all'] : []),
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['--reasoning-effort', effort]),
    ...mcpArgs(options),
  ];
}

/** Timeout of one tool call. Validation of an answer can run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

/**
 * Adds the server to the user's servers. Tools allowed by name need no approval in any permission
 * mode.
 */
function mcpArgs({ mcpServer }: AgentCommandOptions): readonly string[] {
  if (mcpServer === undefined) return [];
  const { name, command, args } = mcpServer;
  const server = { type: 'local', command, args, tools: ['*'], timeout: TOOL_TIMEOUT_MS };
  // The second flag consumes all arguments up to the next flag.
  return [
    `--additional-mcp-config=${JSON.stringify({ mcpServers: { [name]: server } })}`,
    `--allow-tool=${name}`,
  ];
}

/** Without `-C`, the CLI changes to the directory that the session was created in. */
function resumeArgs(id: string): readonly string[] {
  return [`--resume=${id}`, '-C', '.'];
}
