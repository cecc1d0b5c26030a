/** Output of commands: results on stdout, everything else on stderr. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { toTerminalLines } from 'truecast/internal/support/terminal-text';
import { colored, type Meaning } from './style.ts';

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
 * Writes a line for people, in the color of its meaning. It can quote an agent, a file name or a
 * schema, so control characters are removed.
 */
export function tell(line: string, { stderr }: Terminal, meaning?: Meaning): void {
  const text = toTerminalLines(line);
  stderr.write(`${meaning === undefined ? text : colored(text, meaning, stderr)}\n`);
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
  if (!TruecastError.isInstance(error))
    return { message: error instanceof Error ? error.message : String(error) };
  const { stack: _stack, cause: _cause, ...fields } = error;
  return { ...fields, message: error.message };
}
