/** Output of commands: results on stdout, everything else on stderr, colors by meaning, exit codes, and closed pipes. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import {
  columnsOf,
  terminalSigns,
  toTerminalLines,
  wrapWords,
} from 'truecast/internal/support/terminal-text';
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { ManifestError } from '@truecast/core/internal/errors/manifest-error';
import { RequestEndedError } from '@truecast/core/internal/errors/request-ended-error';
import { RunEndedError } from '@truecast/core/internal/errors/run-ended-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** Output streams of a command: those of the process, or of a test. */
export interface Terminal {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** All streams of a command. */
export interface CommandTerminal extends Terminal {
  readonly stdin: NodeJS.ReadStream;
}

/** Writes a result as JSON. Resolves after the write is flushed, so that a pipe gets all of it. */
export function printResult(value: unknown, { stdout }: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(`${toJsonText(value, 2)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Returns JSON whose strings contain no terminal control characters. Characters that
 * `JSON.stringify` does not escape (C1 controls, DEL, bidirectional and invisible characters) become
 * `\\u009b`. The parsed value is the same.
 */
export function toJsonText(value: unknown, indent?: number): string {
  return escapeJsonText(JSON.stringify(value, null, indent) ?? 'null');
}

/** Escapes a JSON text the same way. */
export function escapeJsonText(json: string): string {
  // In JSON, these characters occur only inside strings.
  return json.replaceAll(/[\u007F-\u009F\u2028\u2029]|\p{Cf}/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * Writes prose for people, in the color of its meaning, wrapped between words on a terminal. It can
 * quote an agent, a file name or a schema, so control characters are removed.
 */
export function tell(prose: string, terminal: Terminal, meaning?: Meaning): void {
  const columns = columnsFor(terminal.stderr);
  const lines = toTerminalLines(prose).split('\n');
  tellWhole(lines.flatMap((line) => wrapWords(line, columns)).join('\n'), terminal, meaning);
}

/** Writes a side note in the column of the steps of a run. */
export function tellNote(note: string, terminal: Terminal): void {
  tell(`${terminalSigns().note} ${note}`, terminal, 'aside');
}

/**
 * Writes what people copy, such as a command, a path or an address, after its title. On a terminal
 * where both do not fit, it has its own line. It is never wrapped: a copy from the terminal is one line.
 */
export function tellToCopy(title: string, copied: string, terminal: Terminal, meaning?: Meaning): void {
  const text = copied.replaceAll('\n', ' ');
  const line = `${title}: ${text}`;
  const isOneLine = columnsOf(toTerminalLines(line)) <= columnsFor(terminal.stderr);
  if (!isOneLine) tell(`${title}:`, terminal, meaning);
  tellWhole(isOneLine ? line : text, terminal, meaning);
}

/** Writes lines with commands or paths unchanged, so that they can be copied. */
export function tellWhole(lines: string, { stderr }: Terminal, meaning?: Meaning): void {
  const text = withLinks(toTerminalLines(lines), stderr);
  stderr.write(`${meaning === undefined ? text : colored(text, meaning, stderr)}\n`);
}

/** The log of a run, and pages of a server on this machine. */
const LINKED = /(?<=\bLog: )\/\S+|^\/\S+$|\bhttps?:\/\/(?:127\.0\.0\.1|localhost)\b[^\s)]*/gmu;

/** Adds hyperlinks (OSC 8) where the stream has colors. The shown text is the same, also in a wrapped line. */
function withLinks(text: string, stream: NodeJS.WritableStream): string {
  if (colored('x', 'aside', stream) === 'x') return text;
  return text.replaceAll(LINKED, (found) => {
    const target = found.replace(/[.,;:]+$/u, '');
    const address = target.startsWith('/') ? pathToFileURL(target).href : target;
    return `\u001B]8;;${address}\u001B\\${target}\u001B]8;;\u001B\\${found.slice(target.length)}`;
  });
}

/**
 * Writes text for people to stdout, such as a table. Results for programs are JSON, which escapes
 * control characters.
 */
export function printText(text: string, { stdout }: Terminal): void {
  stdout.write(toTerminalLines(text));
}

/** Writes one line to stdout in the color of its meaning. */
export function printLine(line: string, { stdout }: Terminal, meaning?: Meaning): void {
  const text = toTerminalLines(line);
  stdout.write(`${meaning === undefined ? text : colored(text, meaning, stdout)}\n`);
}

/** Converts an error to JSON: its code, its message, and what the agent left behind. */
export function errorToJson(error: unknown): Readonly<Record<string, unknown>> {
  if (!TruecastError.isInstance(error)) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  const { stack: _stack, cause: _cause, ...fields } = error;
  return { ...fields, message: error.message };
}

/** The meaning of a text: a success, a failure, a warning, a side note, or a heading. */
export type Meaning = 'good' | 'bad' | 'warning' | 'aside' | 'heading';

const STYLES = {
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  aside: 'dim',
  heading: 'bold',
} as const satisfies Readonly<Record<Meaning, Parameters<typeof styleText>[0]>>;

/** Colors a text that is already safe for a terminal. */
export function colored(text: string, meaning: Meaning, stream: NodeJS.WritableStream): string {
  return text === '' ? text : styleText(STYLES[meaning], text, { stream, validateStream: true });
}

const FALLBACK_COLUMNS = 80;
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 20;

/** Returns the columns for text on a stream. A file or a pipe has no limit. */
export function columnsFor(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (stream.isTTY !== true) return Infinity;
  // Some pseudo-terminals report 0.
  const columns = stream.columns === undefined || stream.columns === 0 ? FALLBACK_COLUMNS : stream.columns;
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns));
}

/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  /** The agent finished, but its answer was missing or invalid. */
  noAnswer: 3,
  /** The agent asked a question. */
  question: 4,
  /** The agent declined. */
  declined: 5,
  interrupted: 130,
} as const;

/** Git errors that make any run impossible: the caller named an unsuitable repository or branch. */
const WRONG_PLACE: readonly string[] = ['not-a-repository', 'bare', 'no-commit', 'invalid-branch'];

/** Ends of an agent run that do not count as failures of the run itself. */
const RUN_EXITS: Readonly<Partial<Record<RunEndedError['code'], number>>> = {
  'structured-output-not-produced': EXIT.noAnswer,
  'configuration-error': EXIT.wrongUse,
};

export function exitCodeOf(error: unknown): number {
  if (UsageError.isInstance(error) || SchemaError.isInstance(error) || ManifestError.isInstance(error)) {
    return EXIT.wrongUse;
  }
  if (StructuredOutputError.isInstance(error) || RequestEndedError.isInstance(error)) return EXIT.noAnswer;
  if (RunEndedError.isInstance(error)) return RUN_EXITS[error.code] ?? EXIT.failed;
  if (InterruptedError.isInstance(error)) return EXIT.interrupted;
  if (RepositoryError.isInstance(error) && WRONG_PLACE.includes(error.code)) return EXIT.wrongUse;
  return EXIT.failed;
}

/**
 * Listens to write errors of the process's streams. Without a listener Node prints a stack trace.
 *
 * A closed stdout stops work in progress as SIGTERM does, because its result has no reader. After a
 * closed stderr, which only shows progress, the work continues.
 */
export function endWithReader({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  stdout.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
  });
  stderr.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}

/** Returns true for the error of a write whose reader has disconnected. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
