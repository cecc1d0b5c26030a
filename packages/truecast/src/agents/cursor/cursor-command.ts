/** Command lines of Cursor. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import { joinCommand } from '../../support/shell-quote.ts';

/**
 * Linux limits one argument to 128 KiB. The difference is reserved for flags and the sandbox's
 * wrapper command.
 */
const MAX_PROMPT_BYTES: number = 120 * 1024;

/**
 * Builds the command that runs one prompt, passed as an argument, and prints its events.
 *
 * @throws UsageError `invalid-option` if the prompt is too long for an argument
 */
export function buildCursorCommand(
  model: string | undefined,
  { prompt, dangerouslySkipPermissions }: AgentCommandOptions,
): PrintCommand {
  const bytes = Buffer.byteLength(prompt);
  if (bytes > MAX_PROMPT_BYTES) {
    throw new UsageError(
      `Expected a prompt of at most ${MAX_PROMPT_BYTES} bytes, got ${bytes}: Cursor reads its prompt from an argument, and this is the limit of the system. Move the long part into a file of the worktree, and name the file in the prompt.`,
    );
  }
  const flags = ['agent', '--print', '--output-format', 'stream-json'];
  return {
    command: joinCommand([...flags, ...commonArgs(model, dangerouslySkipPermissions), ...promptArgs(prompt)]),
  };
}

/** Builds the arguments of an interactive session. */
export function buildCursorInteractiveArgs(
  model: string | undefined,
  { prompt, dangerouslySkipPermissions }: AgentCommandOptions,
): string[] {
  return ['agent', ...commonArgs(model, dangerouslySkipPermissions), ...promptArgs(prompt)];
}

function commonArgs(model: string | undefined, dangerouslySkipPermissions: boolean): readonly string[] {
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(dangerouslySkipPermissions ? ['--force'] : []),
  ];
}

/** After a space, a prompt with a leading hyphen is not parsed as an option. */
function promptArgs(prompt: string): readonly string[] {
  if (prompt === '') return [];
  return [prompt.startsWith('-') ? ` ${prompt}` : prompt];
}
