/**
 * `command()`: adapter for any program that prints its answer. Only the exit code decides success.
 */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type {
  AgentEvent,
  AgentStreamParser,
  PrintCommand,
  StreamAgentProvider,
} from '../ports/agent-provider.ts';
import { withLineView } from './stream/line-view.ts';
import { createLineParser } from './stream/stream-lines.ts';
import { assertCommandFits, joinCommand, quoteArgument } from '../support/shell-quote.ts';

/** Parses one line of a program's stdout. Undefined means no event. */
export type CommandLineParser = (line: string) => AgentEvent | readonly AgentEvent[] | undefined;

/** Options of `command()`. */
export interface CommandOptions {
  /**
   * A string is an unchanged shell command. An array is a program and its arguments, which are
   * quoted.
   */
  readonly command: string | readonly string[];
  /** Name of the agent in events, logs and errors. @default "command" */
  readonly name?: string;
  /**
   * `text`: all of stdout is agent text, streamed as it arrives. A function parses stdout line by
   * line. @default "text"
   */
  readonly parse?: 'text' | CommandLineParser;
  /** Environment for the program. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * How the program gets the prompt. `argument` appends it as the last argument, limited to 120 KiB.
   * @default "stdin"
   */
  readonly promptVia?: 'stdin' | 'argument';
}

const COMMAND_OPTIONS: OptionNames<CommandOptions> = {
  command: true,
  name: true,
  parse: true,
  env: true,
  promptVia: true,
};

/**
 * Creates an agent from any program. The program receives the prompt, works in the worktree, and
 * prints its answer.
 *
 * Exit code 0 means success. The agent has no sessions, so a retry needs `retry: 'fresh'`.
 *
 * @throws UsageError `invalid-option` if the command is empty
 *
 * @example
 * ```ts
 * const agent = command({ command: ['my-agent', '--quiet'], name: 'my-agent' });
 * ```
 */
export function command(options: CommandOptions): StreamAgentProvider {
  assertKnownOptions(options, { of: '`command()`', names: COMMAND_OPTIONS });
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
    ...withLineView(() =>
      parse === 'text'
        ? createTextParser()
        : createLineParser({ readLine: (line) => callParser(parse, line) }),
    ),
  };
}

function assertCommand(value: string | readonly string[]): void {
  const words: readonly unknown[] =
    typeof value === 'string' ? [value.trim()] : Array.isArray(value) ? value : [];
  if (words.length > 0 && words[0] !== '' && words.every((word) => typeof word === 'string')) return;
  throw new UsageError(
    `Expected \`command\` to be a shell command or a program and its arguments, got ${describeValue(value)}. Write \`['node', 'agent.mjs']\`.`,
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

/**
 * All of stdout is text. A surrogate pair that is split across chunks is held until it is complete.
 */
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
