/** Owns Claude Code's command lines. Pure. */
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import { assertSessionId } from '../session/session-id.ts';
import { joinCommand } from './shell-quote.ts';

/** How much the model thinks. */
export type ClaudeCodeEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Claude Code's own rules for what its tools may do. */
export type ClaudeCodePermissionMode =
  | 'default'
  | 'manual'
  | 'acceptEdits'
  | 'plan'
  | 'auto'
  | 'dontAsk'
  | 'bypassPermissions';

/** What stands in every command line of one provider. */
export interface ClaudeCodeFlags {
  readonly model: string | undefined;
  readonly effort: ClaudeCodeEffort | undefined;
  readonly permissionMode: ClaudeCodePermissionMode | undefined;
  readonly streamDeltas: boolean;
}

/** Builds the command that runs one prompt, which goes in on stdin, and prints its events. */
export function buildClaudeCodeCommand(flags: ClaudeCodeFlags, options: AgentCommandOptions): PrintCommand {
  const { jsonSchema } = options;
  return {
    command: joinCommand([
      'claude',
      '--print',
      '--verbose',
      '--output-format',
      'stream-json',
      ...(flags.streamDeltas ? ['--include-partial-messages'] : []),
      ...commonArgs(flags, options),
      ...(jsonSchema === undefined ? [] : ['--json-schema', JSON.stringify(jsonSchema)]),
    ]),
    stdin: options.prompt,
  };
}

/** Builds the arguments of a session on a terminal. */
export function buildClaudeCodeInteractiveArgs(
  flags: ClaudeCodeFlags,
  options: AgentCommandOptions,
): readonly string[] {
  // Behind `--`, a prompt that begins with a hyphen is no option.
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

/** The CLI takes one of the two flags, not both. */
function permissionArgs(
  { permissionMode }: ClaudeCodeFlags,
  options: AgentCommandOptions,
): readonly string[] {
  if (permissionMode !== undefined) return ['--permission-mode', permissionMode];
  return options.dangerouslySkipPermissions ? ['--dangerously-skip-permissions'] : [];
}

/** Longest that one call of a tool may take: what judges an answer may run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

/**
 * Adds to the user's own servers; allowed by name, its tools are asked about in no permission mode.
 *
 * Unless it is always loaded, the CLI hides a tool behind a search, where a model that has no reason to look will not find it.
 */
function mcpArgs({ mcpServer }: AgentCommandOptions): readonly string[] {
  if (mcpServer === undefined) return [];
  const { name, command, args } = mcpServer;
  const server = { type: 'stdio', command, args, alwaysLoad: true, timeout: TOOL_TIMEOUT_MS };
  // Both flags take all arguments up to the next flag.
  return [
    `--mcp-config=${JSON.stringify({ mcpServers: { [name]: server } })}`,
    `--allowed-tools=mcp__${name}`,
  ];
}

function resumeArgs({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  return ['--resume', assertSessionId(resumeSession), ...(forkSession === true ? ['--fork-session'] : [])];
}
