/** Command lines of Claude Code. Pure. */
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import { assertSessionId } from '../sessions/session-id.ts';
import { joinCommand } from '../../support/shell-quote.ts';

/** Reasoning effort of the model. */
export type ClaudeCodeEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type ClaudeCodePermissionMode =
  | 'default'
  | 'manual'
  | 'acceptEdits'
  | 'plan'
  | 'auto'
  | 'dontAsk'
  | 'bypassPermissions';

/** Flags common to all command lines of one provider. */
export interface ClaudeCodeFlags {
  readonly model: string | undefined;
  readonly effort: ClaudeCodeEffort | undefined;
  readonly permissionMode: ClaudeCodePermissionMode | undefined;
  readonly streamDeltas: boolean;
}

/** Builds the command that runs one prompt from stdin and prints its events. */
export function buildClaudeCodeCommand(flags: ClaudeCodeFlags, options: AgentCommandOptions): PrintCommand {
  const { jsonSchema, asksByOutcome } = options;
  return {
    command: joinCommand([
      'claude',
      '--print',
      '--verbose',
      '--output-format',
      'stream-json',
      ...(flags.streamDeltas ? ['--include-partial-messages'] : []),
      ...commonArgs(flags, options),
      // Without a terminal, its own tool for questions ends with an empty answer.
      ...(asksByOutcome === true ? ['--disallowedTools=AskUserQuestion'] : []),
      ...(jsonSchema === undefined ? [] : ['--json-schema', JSON.stringify(jsonSchema)]),
    ]),
    stdin: options.prompt,
  };
}

/** Builds the arguments of an interactive session. */
export function buildClaudeCodeInteractiveArgs(
  flags: ClaudeCodeFlags,
  options: AgentCommandOptions,
): string[] {
  // After `--`, a prompt with a leading hyphen is not parsed as an option.
  return ['claude', ...commonArgs(flags, options), ...(options.prompt === '' ? [] : ['--', options.prompt])];
}

function commonArgs(flags: ClaudeCodeFlags, options: AgentCommandOptions): readonly string[] {
  const { model, effort } = flags;
  return [
    ...permissionArgs(flags, options),
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['--effort', effort]),
    ...mcpArgs(options),
    ...resumeArgs(options),
  ];
}

/** The CLI accepts only one of these two flags. */
function permissionArgs(
  { permissionMode }: ClaudeCodeFlags,
  options: AgentCommandOptions,
): readonly string[] {
  if (permissionMode !== undefined) return ['--permission-mode', permissionMode];
  return options.dangerouslySkipPermissions ? ['--dangerously-skip-permissions'] : [];
}

/** Timeout of one tool call. Validation of an answer can run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

/**
 * Adds the server to the user's servers. Tools allowed by name need no approval in any permission
 * mode.
 *
 * By default the CLI hides tools behind a search, and the model would not find this one.
 * `alwaysLoad` prevents that.
 */
function mcpArgs({ mcpServer }: AgentCommandOptions): readonly string[] {
  if (mcpServer === undefined) return [];
  const { name, command, args } = mcpServer;
  const server = { type: 'stdio', command, args, alwaysLoad: true, timeout: TOOL_TIMEOUT_MS };
  // Both flags consume all arguments up to the next flag.
  return [
    `--mcp-config=${JSON.stringify({ mcpServers: { [name]: server } })}`,
    `--allowed-tools=mcp__${name}`,
  ];
}

function resumeArgs({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  return ['--resume', assertSessionId(resumeSession), ...(forkSession === true ? ['--fork-session'] : [])];
}
