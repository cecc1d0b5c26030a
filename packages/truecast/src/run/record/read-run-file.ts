/** Files of kept runs: regular ones only, opened without following links, and read up to a limit. */
import { join } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { openRegularFile, readRegularFile } from '../../support/open-regular-file.ts';
import { isKeptRunId, KEPT_FILES, MAX_TRANSCRIPT_CHARS } from './kept-run.ts';

const MAX_RECORD_BYTES: number = 2 * 1024 * 1024;

/** A UTF-16 unit has at most 3 bytes in UTF-8. */
const MAX_TRANSCRIPT_BYTES: number = 3 * MAX_TRANSCRIPT_CHARS;

/** Reads a whole file of a run. Undefined without one, or not such a file. */
export function readRunFile(
  root: string,
  id: string,
  file: 'start' | 'record' | 'transcript',
): Promise<Buffer | undefined> {
  if (!isKeptRunId(id)) return Promise.resolve(undefined);
  const path = join('runs', id, KEPT_FILES[file]);
  const maxBytes = file === 'transcript' ? MAX_TRANSCRIPT_BYTES : MAX_RECORD_BYTES;
  return readRegularFile({ root, path, maxBytes }).catch(ignoreNoFile);
}

/** A part of a file, and the time of the file's last write. */
export interface JournalPart {
  readonly bytes: Buffer;
  readonly writtenAtMs: number;
}

/** Reads a part of a run's journal. Undefined without one. */
export async function readJournalPart(
  root: string,
  id: string,
  { from, maxBytes }: { readonly from: number; readonly maxBytes: number },
): Promise<JournalPart | undefined> {
  if (!isKeptRunId(id)) return undefined;
  const path = join('runs', id, KEPT_FILES.events);
  const file = await openRegularFile({ root, path, mode: 'read' }).catch(ignoreNoFile);
  if (file === undefined) return undefined;
  try {
    const { mtimeMs, size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(maxBytes, size - from)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    return { bytes: buffer.subarray(0, bytesRead), writtenAtMs: mtimeMs };
  } finally {
    await file.close();
  }
}

/** A link, a pipe or a file above the limit is not a file of a run. */
function ignoreNoFile(error: unknown): undefined {
  if (RepositoryError.isInstance(error)) return;
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
