/** Command lines of Gemini CLI. Pure. */
import { geminiSessionPattern } from './gemini-session.ts';
import { assertSessionId } from '../sessions/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import { ONE_PROCESS, unsetVariables } from '../unset-variables.ts';
import { writeGeminiHome } from './gemini-cli-home.ts';
import { assertCommandFits, quoteArgument } from '../../support/shell-quote.ts';

/** Actions that need no approval. In a run, actions that need approval are refused. */
export type GeminiApprovalMode = 'default' | 'auto_edit';

/** Flags common to all command lines of one provider. */
export interface GeminiFlags {
  readonly model: string | undefined;
  readonly approvalMode: GeminiApprovalMode | undefined;
  /** Environment that the caller set. */
  readonly env: Readonly<Record<string, string>>;
  /** True if the caller set a base URL. */
  readonly hasBaseUrl: boolean;
}

/** Builds the command that runs one prompt from stdin and prints its events. */
export function buildGeminiCommand(flags: GeminiFlags, options: AgentCommandOptions): PrintCommand {
  const words = ['gemini', '--output-format', 'stream-json', ...commonWords(flags, options)];
  const command = withHome(words.join(' '), flags, options);
  return { command, stdin: options.prompt, env: unsetVariables(ONE_PROCESS, flags.env) };
}

/** Builds the arguments of an interactive session. */
export function buildGeminiInteractiveArgs(flags: GeminiFlags, options: AgentCommandOptions): string[] {
  // Joined with `=`, a prompt with a leading hyphen is not parsed as an option.
  const prompt = options.prompt === '' ? [] : [`--prompt-interactive=${options.prompt}`];
  const words = ['gemini', ...commonWords(flags, options), ...prompt.map(quoteArgument)];
  return ['sh', '-c', withHome(words.join(' '), flags, options)];
}

function withHome(command: string, { hasBaseUrl }: GeminiFlags, options: AgentCommandOptions): string {
  const { mcpServer, modelBaseUrl, hasAttachments = false } = options;
  const home = writeGeminiHome({
    hasBaseUrl: hasBaseUrl || modelBaseUrl !== undefined,
    hasAttachments,
    ...(mcpServer !== undefined && { mcpServer }),
  });
  return assertCommandFits(
    home === undefined ? command : `${home} && GEMINI_CLI_HOME="$truecast" ${command}`,
  );
}

/** Returns shell words, quoted if necessary. */
function commonWords(flags: GeminiFlags, options: AgentCommandOptions): readonly string[] {
  return [
    ...permissionWords(flags, options),
    ...(flags.model === undefined ? [] : ['--model', quoteArgument(flags.model)]),
    ...sessionWords(options),
  ];
}

/** Without `--skip-trust`, the CLI runs only in folders that the user has trusted interactively. */
function permissionWords({ approvalMode }: GeminiFlags, options: AgentCommandOptions): readonly string[] {
  if (approvalMode !== undefined) return ['--skip-trust', '--approval-mode', approvalMode];
  return options.dangerouslySkipPermissions ? ['--skip-trust', '--yolo'] : [];
}

/** The CLI has no fork flag. It creates a new session from the file of another one, at any path. */
function sessionWords({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  const id = assertSessionId(resumeSession);
  if (forkSession !== true) return ['--resume', id];
  const files = `"\${GEMINI_CLI_HOME:-$HOME}"/.gemini/tmp/*/chats/${geminiSessionPattern(id)}`;
  return ['--session-file', `"$(ls -t -- ${files} | head -n 1)"`];
}
