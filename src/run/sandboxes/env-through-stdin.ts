/** Owns giving a command an environment in a sandbox whose `exec` takes none. */
import { quoteArgument } from '../agents/shell-quote.ts';

/** A command with its input. */
export interface CommandWithInput {
  readonly command: string;
  readonly stdin: string;
}

/** A command that wants an environment. */
export interface CommandWithEnv {
  readonly command: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Puts the environment into the first line of stdin, since a command line can be read by every process of the machine.
 *
 * The shell reads that line byte by byte, so that all after it is left for the command. Needs `base64` inside.
 */
export function throughStdin({ command, stdin = '', env = {} }: CommandWithEnv): CommandWithInput {
  const names = Object.keys(env);
  if (names.length === 0) return { command, stdin };
  const assignments = Object.entries(env).map(([name, value]) => `export ${name}=${quoteArgument(value)}`);
  const line = Buffer.from(assignments.join('\n')).toString('base64');
  const read =
    'IFS= read -r TRUECAST_ENV && eval "$(printf %s "$TRUECAST_ENV" | base64 -d)" && unset TRUECAST_ENV';
  return { command: `${read} && exec sh -c ${quoteArgument(command)}`, stdin: `${line}\n${stdin}` };
}
