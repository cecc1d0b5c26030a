/**
 * Results file of a batch: one line per result, flushed to disk before it counts, readable after
 * any crash.
 */
import { resolve } from 'node:path';
import { z } from 'zod';
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { BatchResult } from './batch-queue.ts';
import { ensureStateFolder } from '@truecast/host/internal/state-folder';
import { stateHome } from '@truecast/host/internal/state-home';
import { acquireLock, type Lock } from '../../git/command/lock.ts';
import { openLinesFile } from './lines-file.ts';

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

/** Schema of stored usage. */
export const USAGE: z.ZodType<Usage> = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheCreationInputTokens: z.number(),
  cacheReadInputTokens: z.number(),
  costUsd: z.number().exactOptional(),
});

const LINE = z.object({
  key: z.string(),
  status: z.enum(['ok', 'question', 'declined', 'failed']),
  usage: USAGE.optional(),
});

/**
 * Opens or creates the file. A last line that was truncated by a crash is removed.
 *
 * @throws UsageError if the file contains anything other than results
 */
export async function openResultsFile(path: string): Promise<ResultsFile> {
  const recorded = new Map<string, RecordedStatus>();
  let usage: Usage | undefined;
  const file = await openLinesFile(path, {
    parse: (value) => LINE.safeParse(value).data,
    contents: 'the results of a batch',
    onLine(line) {
      recorded.set(line.key, line.status);
      usage = sumUsage([usage, line.usage]);
    },
  });
  return { recorded, usage, ...file };
}

/**
 * Locks the results file. Two batches on one file would both run the missing items, also if they work on
 * different repositories.
 */
export function lockResults(out: string): Promise<Lock> {
  return acquireLock({
    commonDir: ensureStateFolder(stateHome()),
    key: `batch:${resolve(out)}`,
    subject: `The results file \`${out}\``,
    command: 'a batch',
    now: new Date(),
  });
}
