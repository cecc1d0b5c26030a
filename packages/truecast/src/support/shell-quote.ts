/**
 * Shell quoting: builds commands for `sh -c` in which no value can become more than one word. Pure.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';

const SAFE_WORD = /^[\w@%+:,./-]+$/u;

/** Words that a shell parses as grammar in command position. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'case do done elif else esac fi for function if in select then time until while'.split(' '),
);

/**
 * Linux limits one argument to 128 KiB. The difference is reserved for the sandbox's wrapper
 * command.
 */
const MAX_COMMAND_BYTES: number = 120 * 1024;

/**
 * Quotes one argument for a POSIX shell. Words without special characters are not quoted.
 *
 * @throws UsageError `invalid-option` if `argument` contains a NUL, which is not allowed in
 *   arguments
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
 * @throws UsageError `invalid-option` if the command exceeds the system's limit, or an argument
 *   contains a NUL
 */
export function joinCommand(args: readonly string[]): string {
  return assertCommandFits(args.map(quoteArgument).join(' '));
}

/**
 * Returns `command` if it fits in a single argument of `sh -c`.
 *
 * @throws UsageError `invalid-option` if it is too long
 */
export function assertCommandFits(command: string): string {
  const bytes = Buffer.byteLength(command);
  if (bytes <= MAX_COMMAND_BYTES) return command;
  throw new UsageError(
    `Expected a command of at most ${MAX_COMMAND_BYTES} bytes, got ${bytes}: this is the limit of the system. Pass the prompt on stdin, or make the schema smaller.`,
  );
}
