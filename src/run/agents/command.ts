/** Owns `command()`: any program that prints, as an agent. It is judged by its exit code alone. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentEvent, AgentProvider, AgentStreamParser, PrintCommand } from './agent-provider.ts';
import { createLineParser } from './line-parser.ts';
import { assertCommandFits, joinCommand, quoteArgument } from './shell-quote.ts';

/** What one line of a program's stdout says; undefined says nothing. */
export type CommandLineParser = (line: string) => AgentEvent | readonly AgentEvent[] | undefined;

/** Options of `command()`. */
export interface CommandOptions {
  /** A shell command as it stands, or a program and its arguments, which are quoted. */
  readonly command: string | readonly string[];
  /** @default "command" */
  readonly name?: string;
  /** `text`: all of stdout is the agent's words, as it arrives. A function reads stdout line by line. @default "text" */
  readonly parse?: 'text' | CommandLineParser;
  /** @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** `argument` adds the prompt as the last argument, of at most 120 KiB. @default "stdin" */
  readonly promptVia?: 'stdin' | 'argument';
}

/**
 * Makes an agent of any program: it gets the prompt, works in the worktree, and prints its answer.
 *
 * The program has succeeded when it exits with 0. It has no sessions, so that a retry needs `retry: 'fresh'`.
 *
 * @throws UsageError `invalid-option` when there is no command
 *
 * @example
 * ```ts
 * const agent = command({ command: ['my-agent', '--quiet'], name: 'my-agent' });
 * ```
 */
export function command(options: CommandOptions): AgentProvider {
  assertCommand(options.command);
  const { parse = 'text', promptVia = 'stdin' } = options;
  const [program] = typeof options.command === 'string' ? [] : options.command;
  return {
    name: options.name ?? 'command',
    env: options.env ?? {},
    captureSessions: false,
    hasEndEvent: false,
    isPlainText: parse === 'text',
    ...(program !== undefined && { program }),
    buildPrintCommand: ({ prompt }) => buildCommand(options.command, prompt, promptVia),
    createStreamParser: () =>
      parse === 'text'
        ? createTextParser()
        : createLineParser({ readLine: (line) => callParser(parse, line) }),
  };
}

function assertCommand(value: string | readonly string[]): void {
  const program = typeof value === 'string' ? value.trim() : value[0];
  if (program !== undefined && program !== '') return;
  throw new UsageError(
    `Expected \`command\` to be a shell command or a program and its arguments, got ${describeValue(value)}.`,
  );
}

function buildCommand(
  value: string | readonly string[],
  prompt: string,
  promptVia: 'stdin' | 'argument',
): PrintCommand {
  const line = typeof value === 'string' ? assertCommandFits(value) : joinCommand(value);
  if (promptVia === 'stdin') return { command: line, stdin: prompt };
  return { command: assertCommandFits(`${line} ${quoteArgument(prompt)}`) };
}

/** All of stdout is text. A surrogate pair that a cut parted is held until it is whole. */
function createTextParser(): AgentStreamParser {
  let held = '';
  const emit = (text: string): readonly AgentEvent[] => (text === '' ? [] : [{ type: 'text', text }]);
  return {
    push(chunk) {
      const text = held + chunk;
      held = /[\uD800-\uDBFF]$/.test(text.slice(-1)) ? text.slice(-1) : '';
      return emit(held === '' ? text : text.slice(0, -1));
    },
    end() {
      const text = held;
      held = '';
      return emit(text);
    },
  };
}

function callParser(parse: CommandLineParser, line: string): readonly AgentEvent[] {
  try {
    const result = parse(line);
    if (result === undefined) return [];
    return 'type' in result ? [result] : result;
  } catch (error) {
    return [{ type: 'warning', message: `The \`parse\` given to \`command()\` threw: ${String(error)}` }];
  }
}
