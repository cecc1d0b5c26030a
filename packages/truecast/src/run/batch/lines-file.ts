/**
 * File of JSON lines that survives a crash: each line is flushed to disk before it counts, and a
 * truncated last line is removed.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';

/** A file that is open for appending. */
export interface LinesFile {
  /** Resolves when the line is on disk. */
  append(line: object): Promise<void>;
  close(): Promise<void>;
}

/** How to read the existing lines. */
export interface LinesFileOptions<TLine> {
  /** Parses a JSON value as a line. Returns undefined if it is not one. */
  readonly parse: (value: unknown) => TLine | undefined;
  /** Called with each existing line, in order. */
  readonly onLine: (line: TLine) => void;
  /** Contents of the file, for error messages, such as `the results of a batch`. */
  readonly contents: string;
}

/**
 * Opens or creates the file, and reads its lines.
 *
 * @throws UsageError if the file cannot be written, or contains other lines
 */
export async function openLinesFile<TLine>(
  path: string,
  { parse, onLine, contents }: LinesFileOptions<TLine>,
): Promise<LinesFile> {
  const file = await openChosenFile(path, 'append-read').catch((cause: unknown) => {
    throw new UsageError(
      `Expected \`out\` to be a writable file, got \`${path}\`: ${cause instanceof Error ? cause.message : String(cause)}. Pass another path.`,
      { cause },
    );
  });
  try {
    await repairTail(file, parse);
    let number = 0;
    for await (const text of file.readLines({ autoClose: false, start: 0, encoding: 'utf8' })) {
      number += 1;
      const line = parse(jsonValueOf(text));
      if (line === undefined) {
        throw new UsageError(
          `Expected \`${path}\` to contain ${contents}, but line ${number} is invalid. Pass another \`out\`, or remove the line.`,
        );
      }
      onLine(line);
    }
    await syncFolder(dirname(path));
    return startAppending(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function startAppending(file: FileHandle): LinesFile {
  let last: Promise<void> = Promise.resolve();
  return {
    append(line) {
      const written = last.then(async () => {
        await file.appendFile(`${JSON.stringify(line)}\n`);
        await file.datasync();
      });
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Adds the missing newline to a complete last line. A truncated line is removed, and its item is
 * repeated.
 */
async function repairTail(file: FileHandle, parse: (value: unknown) => unknown): Promise<void> {
  const { size } = await file.stat();
  const start = await lineStart(file, size);
  if (start === size) return;
  const tail = Buffer.alloc(size - start);
  await file.read(tail, 0, tail.length, start);
  if (parse(jsonValueOf(tail.toString())) === undefined) await file.truncate(start);
  else await file.appendFile('\n');
  await file.datasync();
}

/** Returns the offset of the last line: after the last newline before `end`. */
async function lineStart(file: FileHandle, end: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let to = end; to > 0; to -= CHUNK_BYTES) {
    const from = Math.max(0, to - CHUNK_BYTES);
    await file.read(chunk, 0, to - from, from);
    const at = chunk.subarray(0, to - from).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
  }
  return 0;
}

/** A new file's name is durable only after its folder is flushed. Windows cannot open a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
