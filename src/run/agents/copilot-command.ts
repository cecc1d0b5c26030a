/** Owns Copilot's command lines. Pure. */
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
 * The CLI's stream tells no tokens. It writes them to a file, summed over the whole session: behind its own lines the file is printed as
 * one more, and before a session that goes on, what was used until then.
 */
export function buildCopilotCommand(flags: CopilotFlags, options: AgentCommandOptions): PrintCommand {
  const args = joinCommand(['copilot', '--output-format', 'json', ...commonArgs(flags, options)]);
  const command = [
    'truecast=$(mktemp -d) && trap \'rm -rf "$truecast"\' EXIT || exit',
    ...usedUntilNow(options),
    `${args} --usage-output-file "$truecast/usage.json"; code=$?`,
    `if [ -s "$truecast/usage.json" ]; then tr -d '\\n' < "$truecast/usage.json"; echo; fi; exit "$code"`,
  ];
  return { command: assertCommandFits(command.join('; ')), stdin: options.prompt };
}

function usedUntilNow({ resumeSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  const file = `${COPILOT_SESSIONS}/${assertSessionId(resumeSession)}/events.jsonl`;
  return [`grep -F '"type":"session.usage_record"' ${file} 2>/dev/null`];
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
    ...resumeArgs(options),
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
function resumeArgs({ resumeSession }: AgentCommandOptions): readonly string[] {
  return resumeSession === undefined ? [] : [`--resume=${assertSessionId(resumeSession)}`, '-C', '.'];
}
