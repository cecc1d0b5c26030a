/** Environment over stdin, for a sandbox whose `exec` accepts no environment. */
import { quoteArgument } from '../../support/shell-quote.ts';

export interface CommandWithInput {
  readonly command: string;
  readonly stdin: string;
}

export interface CommandWithEnv {
  readonly command: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Puts the environment into the first line of stdin, because every process of the machine can read
 * a command line.
 *
 * The shell reads that line byte by byte, so the rest of stdin is left for the command. Requires
 * `base64` in the sandbox.
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
