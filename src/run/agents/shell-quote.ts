/** Owns how arguments become a command for `sh -c`: quoted so that no value can become more than one word. Pure. */
import { UsageError } from '../../errors/usage-error.ts';

const SAFE_WORD = /^[\w@%+:,./-]+$/u;

/** Words that a shell reads as its own grammar when they stand first. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'case do done elif else esac fi for function if in select then time until while'.split(' '),
);

/** The longest single argument that Linux takes is 128 KiB; the rest is left for what the sandbox puts around the command. */
const MAX_COMMAND_BYTES: number = 120 * 1024;

/**
 * Quotes one argument for a POSIX shell; words without special characters stay as they are.
 *
 * @throws UsageError `invalid-option` when `argument` holds a NUL, which no argument can
 */
export function quoteArgument(argument: string): string {
  if (argument.includes('\0')) {
    throw new UsageError(
      'Expected a command-line argument without NUL characters. Remove them, or pass the text on stdin.',
    );
  }
  if (SAFE_WORD.test(argument) && !RESERVED_WORDS.has(argument)) return argument;
  return `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Joins a program and its arguments to a command for `sh -c`.
 *
 * @throws UsageError `invalid-option` when it is longer than the system takes, or an argument holds a NUL
 */
export function joinCommand(args: readonly string[]): string {
  return assertCommandFits(args.map(quoteArgument).join(' '));
}

/**
 * Returns `command` when the system can take it as the one argument of `sh -c`.
 *
 * @throws UsageError `invalid-option`
 */
export function assertCommandFits(command: string): string {
  const bytes = Buffer.byteLength(command);
  if (bytes <= MAX_COMMAND_BYTES) return command;
  throw new UsageError(
    `Expected a command of at most ${MAX_COMMAND_BYTES} bytes, got ${bytes}: the system takes no longer one. Pass the prompt on stdin, or make the schema smaller.`,
  );
}
