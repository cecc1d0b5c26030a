/** Owns Gemini CLI's command lines. Pure. */
import { geminiSessionPattern } from '../session/gemini-session-path.ts';
import { assertSessionId } from '../session/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import { writeGeminiHome } from './gemini-cli-home.ts';
import { assertCommandFits, quoteArgument } from './shell-quote.ts';

/** What the agent may do without being asked; in a run, what would be asked is refused. */
export type GeminiApprovalMode = 'default' | 'auto_edit';

/** What stands in every command line of one provider. */
export interface GeminiFlags {
  readonly model: string | undefined;
  readonly approvalMode: GeminiApprovalMode | undefined;
  /** True when the caller has set a base URL. */
  readonly hasBaseUrl: boolean;
}

/** Builds the command that runs one prompt, which goes in on stdin, and prints its events. */
export function buildGeminiCommand(flags: GeminiFlags, options: AgentCommandOptions): PrintCommand {
  const words = ['gemini', '--output-format', 'stream-json', ...commonWords(flags, options)];
  return { command: withHome(words.join(' '), flags, options), stdin: options.prompt };
}

/** Builds the arguments of a session on a terminal. */
export function buildGeminiInteractiveArgs(
  flags: GeminiFlags,
  options: AgentCommandOptions,
): readonly string[] {
  // Joined by `=`, a prompt that begins with a hyphen is no option.
  const prompt = options.prompt === '' ? [] : [`--prompt-interactive=${options.prompt}`];
  const words = ['gemini', ...commonWords(flags, options), ...prompt.map(quoteArgument)];
  return ['sh', '-c', withHome(words.join(' '), flags, options)];
}

function withHome(command: string, { hasBaseUrl }: GeminiFlags, options: AgentCommandOptions): string {
  const { mcpServer, modelBaseUrl } = options;
  const home = writeGeminiHome({
    hasBaseUrl: hasBaseUrl || modelBaseUrl !== undefined,
    ...(mcpServer !== undefined && { mcpServer }),
  });
  return assertCommandFits(
    home === undefined ? command : `${home} && GEMINI_CLI_HOME="$truecast" ${command}`,
  );
}

/** Words of the shell, quoted where they need to be. */
function commonWords(flags: GeminiFlags, options: AgentCommandOptions): readonly string[] {
  return [
    ...permissionWords(flags, options),
    ...(flags.model === undefined ? [] : ['--model', quoteArgument(flags.model)]),
    ...sessionWords(options),
  ];
}

/** Without `--skip-trust`, the CLI runs in no folder that the user has not trusted on a terminal before. */
function permissionWords({ approvalMode }: GeminiFlags, options: AgentCommandOptions): readonly string[] {
  if (approvalMode !== undefined) return ['--skip-trust', '--approval-mode', approvalMode];
  return options.dangerouslySkipPermissions ? ['--skip-trust', '--yolo'] : [];
}

/** The CLI has no fork: it makes a new session of the file of another, wherever that lies. */
function sessionWords({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  const id = assertSessionId(resumeSession);
  if (forkSession !== true) return ['--resume', id];
  const files = `"\${GEMINI_CLI_HOME:-$HOME}"/.gemini/tmp/*/chats/${geminiSessionPattern(id)}`;
  return ['--session-file', `"$(ls -t -- ${files} | head -n 1)"`];
}
