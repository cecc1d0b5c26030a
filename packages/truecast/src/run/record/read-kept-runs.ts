/**
 * Reader of kept runs, finished or not. Their contents come from agents, so each file is opened
 * without following links, read up to a limit, and checked.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { isSurelyDead } from '../../process/process-identity.ts';
import { isKeptRunId, KEPT_FILES } from './kept-run.ts';
import {
  keptRunSchema,
  startedRunSchema,
  type KeptRun,
  type RunFacts,
  type StartedRun,
} from './kept-run-record.ts';
import { readRunFile } from './read-run-journal.ts';

/** Returns the ids of the kept runs, the newest first. Empty without any. */
export async function listKeptRunIds(stateFolder: string): Promise<readonly string[]> {
  const runs = join(stateFolder, 'runs');
  const found = await lstat(runs).catch(() => undefined);
  if (found?.isDirectory() !== true) return [];
  return (await readdir(runs)).filter(isKeptRunId).toSorted().toReversed();
}

/**
 * Returns the end time of a run, or its start time, in milliseconds since 1970. 0 if it is missing.
 */
export async function keptRunTime(stateFolder: string, id: string): Promise<number> {
  for (const file of [KEPT_FILES.record, KEPT_FILES.start]) {
    const found = await lstat(join(stateFolder, 'runs', id, file)).catch(() => undefined);
    if (found !== undefined) return found.mtimeMs;
  }
  return 0;
}

/** Reads the record of a finished run. Undefined without one or invalid. */
export function readKeptRun(stateFolder: string, id: string): Promise<KeptRun | undefined> {
  return readRecord(stateFolder, id, { file: 'record', schema: keptRunSchema });
}

/** A run without a record of its end. */
export interface OpenRun {
  readonly start: StartedRun;
  /** False if its process has ended: the run was interrupted. */
  readonly isLive: boolean;
}

/** Reads a run that has started and not ended. Undefined without one. */
export async function readOpenRun(stateFolder: string, id: string): Promise<OpenRun | undefined> {
  const start = await readRecord(stateFolder, id, { file: 'start', schema: startedRunSchema });
  return start && { start, isLive: !isSurelyDead(start.process) };
}

/** Reads the transcript of a finished run. Undefined without one. */
export async function readTranscript(stateFolder: string, id: string): Promise<string | undefined> {
  return (await readRunFile(stateFolder, id, 'transcript'))?.toString();
}

async function readRecord<T extends RunFacts>(
  stateFolder: string,
  id: string,
  { file, schema }: { readonly file: 'record' | 'start'; readonly schema: z.ZodType<T> },
): Promise<T | undefined> {
  const bytes = await readRunFile(stateFolder, id, file);
  const parsed = bytes && parseJson(bytes.toString());
  const run = parsed?.success === true ? schema.safeParse(parsed.value).data : undefined;
  return run?.id === id ? run : undefined;
}
