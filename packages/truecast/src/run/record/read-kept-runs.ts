/**
 * Reader of kept runs. Their contents come from agents, so each file is opened without following
 * links, read up to a limit, and checked.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { stateFolderOf } from '@truecast/host/internal/state-folder';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { readRegularFile } from '../../support/open-regular-file.ts';
import { isKeptRunId, KEPT_FILES, MAX_TRANSCRIPT_CHARS, type KeptRun } from './kept-run.ts';

const MAX_RECORD_BYTES = 2 * 1024 * 1024;
/** A UTF-16 unit has at most 3 bytes in UTF-8. */
const MAX_TRANSCRIPT_BYTES = 3 * MAX_TRANSCRIPT_CHARS;

const count = z.number().int().nonnegative();
const span = z
  .object({ start: count, end: count })
  .refine(({ start, end }) => start <= end, { error: 'Expected `start` to be at most `end`' });
const usage = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheCreationInputTokens: z.number().nonnegative(),
  cacheReadInputTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative().exactOptional(),
});

const keptRunSchema: z.ZodType<KeptRun> = z.object({
  version: z.literal(1),
  id: z.string().refine(isKeptRunId),
  name: z.string().optional(),
  isReplayed: z.literal(true).optional(),
  agent: z.string(),
  model: z.string().optional(),
  sandbox: z.string(),
  egress: z.string().optional(),
  branch: z.string().optional(),
  prompt: z.string(),
  startedAt: z.iso.datetime(),
  durationMs: z.number().nonnegative(),
  code: z.string(),
  error: z.string().optional(),
  output: z
    .object({
      route: z.string().optional(),
      tag: z.string().optional(),
      schemaHash: z.string().optional(),
    })
    .optional(),
  attempts: z.array(z.object({ code: z.string(), message: z.string(), span: span.optional() })),
  valueText: z
    .string()
    .refine((text) => parseJson(text).success)
    .optional(),
  repairs: z
    .array(z.object({ kind: z.string(), path: z.array(z.union([z.string(), z.number()])) }))
    .optional(),
  commits: z.array(z.string()),
  usage: usage.optional(),
  warnings: z.array(z.string()),
  transcript: z.object({ chars: count, omittedChars: count }),
});

/**
 * Returns the state folder for a program that works in `folder`. Undefined for a user without a home
 * folder, who has no kept runs.
 */
export function findStateFolder(folder: string): string | undefined {
  try {
    return stateFolderOf(folder);
  } catch (error) {
    if (UsageError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Returns the ids of the kept runs, the newest first. Empty if there are none. */
export async function listKeptRunIds(stateFolder: string): Promise<readonly string[]> {
  const runs = join(stateFolder, 'runs');
  const found = await lstat(runs).catch(() => undefined);
  if (found?.isDirectory() !== true) return [];
  return (await readdir(runs)).filter(isKeptRunId).toSorted().toReversed();
}

/** Returns when the record of a run was written, in milliseconds since 1970. 0 if it is missing. */
export async function keptRunTime(stateFolder: string, id: string): Promise<number> {
  const found = await lstat(join(stateFolder, 'runs', id, KEPT_FILES.record)).catch(() => undefined);
  return found?.mtimeMs ?? 0;
}

/** Reads the record of a run. Undefined if it is missing or invalid. */
export async function readKeptRun(stateFolder: string, id: string): Promise<KeptRun | undefined> {
  const text = await readText(stateFolder, id, 'record');
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.success !== true) return undefined;
  const run = keptRunSchema.safeParse(parsed.value).data;
  return run?.id === id ? run : undefined;
}

/** Reads the transcript of a run. Undefined if it is missing. */
export function readTranscript(stateFolder: string, id: string): Promise<string | undefined> {
  return readText(stateFolder, id, 'transcript');
}

async function readText(
  root: string,
  id: string,
  file: keyof typeof KEPT_FILES,
): Promise<string | undefined> {
  if (!isKeptRunId(id)) return undefined;
  const maxBytes = file === 'record' ? MAX_RECORD_BYTES : MAX_TRANSCRIPT_BYTES;
  try {
    const path = join('runs', id, KEPT_FILES[file]);
    return (await readRegularFile({ root, path, maxBytes }))?.toString();
  } catch (error) {
    // A link, a pipe or a file above the limit is no kept run.
    if (RepositoryError.isInstance(error) || isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
