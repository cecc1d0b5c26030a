/** Owns Cursor's command lines. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import { joinCommand } from './shell-quote.ts';

/** The longest argument that Linux takes is 128 KiB; the rest is left for the flags and for what the sandbox puts around the command. */
const MAX_PROMPT_BYTES: number = 120 * 1024;

/**
 * Builds the command that runs one prompt, which is an argument, and prints its events.
 *
 * @throws UsageError `invalid-option` for a prompt that the system takes as no argument
 */
export function buildCursorCommand(
  model: string | undefined,
  { prompt, dangerouslySkipPermissions }: AgentCommandOptions,
): PrintCommand {
  const bytes = Buffer.byteLength(prompt);
  if (bytes > MAX_PROMPT_BYTES) {
    throw new UsageError(
      `Expected a prompt of at most ${MAX_PROMPT_BYTES} bytes, got ${bytes}: Cursor takes its prompt as an argument, and the system takes no longer one. Put the long part into a file of the worktree and name the file in the prompt.`,
    );
  }
  const flags = ['agent', '--print', '--output-format', 'stream-json'];
  return {
    command: joinCommand([...flags, ...commonArgs(model, dangerouslySkipPermissions), ...promptArgs(prompt)]),
  };
}

/** Builds the arguments of a session on a terminal. */
export function buildCursorInteractiveArgs(
  model: string | undefined,
  { prompt, dangerouslySkipPermissions }: AgentCommandOptions,
): readonly string[] {
  return ['agent', ...commonArgs(model, dangerouslySkipPermissions), ...promptArgs(prompt)];
}

function commonArgs(model: string | undefined, dangerouslySkipPermissions: boolean): readonly string[] {
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(dangerouslySkipPermissions ? ['--force'] : []),
  ];
}

/** Behind a space, a prompt that begins with a hyphen is no option. */
function promptArgs(prompt: string): readonly string[] {
  if (prompt === '') return [];
  return [prompt.startsWith('-') ? ` ${prompt}` : prompt];
}
