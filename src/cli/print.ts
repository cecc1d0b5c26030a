/** Owns what a command writes: results on stdout, all else on stderr. */
import { TruecastError } from '../errors/truecast-error.ts';

/** Where a command writes; the process's own streams, or a test's. */
export interface Terminal {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Writes a result as JSON; resolves when it is handed over, so that a pipe never loses its end. */
export function printResult(value: unknown, { stdout }: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(`${JSON.stringify(value, null, 2) ?? 'null'}\n`, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

/** Writes a line for the person who watches. */
export function tell(line: string, { stderr }: Terminal): void {
  stderr.write(`${line}\n`);
}

/** The error as JSON: its code, its message, and what the agent left behind. */
export function errorToJson(error: unknown): Readonly<Record<string, unknown>> {
  if (!TruecastError.isInstance(error))
    return { message: error instanceof Error ? error.message : String(error) };
  const { stack: _stack, cause: _cause, ...fields } = error;
  return { ...fields, message: error.message };
}
