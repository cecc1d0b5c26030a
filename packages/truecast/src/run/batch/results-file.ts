/**
 * Results file of a batch: one line per result, flushed to disk before it counts, readable after
 * any crash.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { sumUsage, type Usage } from '@truecast/core/internal/errors/base/usage';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import type { BatchResult } from './batch-queue.ts';

/** Status of one item in the results. The last line of an item counts. */
export type RecordedStatus = BatchResult['status'];

/** Existing results, open for appending. */
export interface ResultsFile {
  /** By key. */
  readonly recorded: ReadonlyMap<string, RecordedStatus>;
  /** Total usage of all results so far. */
  readonly usage: Usage | undefined;
  /** Resolves when the line is on disk. */
  append(result: BatchResult): Promise<void>;
  close(): Promise<void>;
}

const LINE = z.object({
  key: z.string(),
  status: z.enum(['ok', 'failed']),
  usage: z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheCreationInputTokens: z.number(),
      cacheReadInputTokens: z.number(),
      costUsd: z.number().exactOptional(),
    })
    .optional(),
});

type Line = z.infer<typeof LINE>;

/**
 * Opens or creates the file. A last line that was truncated by a crash is removed.
 *
 * @throws UsageError if the file contains anything other than results
 */
export async function openResultsFile(path: string): Promise<ResultsFile> {
  const file = await openChosenFile(path, 'append-read').catch((cause: unknown) => {
    throw new UsageError(
      `Expected \`out\` to be a writable file, got \`${path}\`: ${cause instanceof Error ? cause.message : String(cause)}. Pass another path.`,
      { cause },
    );
  });
  try {
    await repairTail(file);
    const recorded = new Map<string, RecordedStatus>();
    let usage: Usage | undefined;
    for await (const line of readResults(file, path)) {
      recorded.set(line.key, line.status);
      usage = sumUsage([usage, line.usage]);
    }
    await syncFolder(dirname(path));
    return { recorded, usage, ...startAppending(file) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function startAppending(file: FileHandle): Pick<ResultsFile, 'append' | 'close'> {
  let last: Promise<void> = Promise.resolve();
  return {
    append(result) {
      const written = last.then(async () => {
        await file.appendFile(`${JSON.stringify(result)}\n`);
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
async function repairTail(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const start = await lineStart(file, size);
  if (start === size) return;
  const tail = Buffer.alloc(size - start);
  await file.read(tail, 0, tail.length, start);
  if (parseResult(tail.toString()) === undefined) await file.truncate(start);
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

async function* readResults(file: FileHandle, path: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of file.readLines({ autoClose: false, start: 0, encoding: 'utf8' })) {
    number += 1;
    const line = parseResult(text);
    if (line === undefined) {
      throw new UsageError(
        `Expected \`${path}\` to contain the results of a batch, but line ${number} is not one. Pass another \`out\`, or remove the line.`,
      );
    }
    yield line;
  }
}

function parseResult(text: string): Line | undefined {
  try {
    return LINE.safeParse(JSON.parse(text)).data;
  } catch {
    // Not JSON. The caller decides how to handle it.
    return undefined;
  }
}

/** A new file's name is durable only after its folder is flushed. Windows cannot open a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
