/**
 * Readers of the files of kept runs: whole files, and journals, whose events come in the order in which
 * they were written, a page at a time.
 */
import { RUN_EVENT_TYPES } from '@truecast/core/internal/kit/run-event-types';
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { JournalEvent } from './journal-event.ts';
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
interface JournalPart {
  readonly bytes: Buffer;
  readonly writtenAtMs: number;
}

/** Reads a part of a run's journal. Undefined without one. */
async function readJournalPart(
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

/** Larger than any line, because the text of a line is limited. */
const WINDOW_BYTES: number = 256 * 1024;
const NEWLINE = 10;

const eventSchema: z.ZodType<JournalEvent> = z.object({
  type: z.enum(RUN_EVENT_TYPES),
  at: z.iso.datetime(),
  iteration: z.number().int().positive(),
  text: z.string().optional(),
  name: z.string().optional(),
  isError: z.literal(true).optional(),
  issues: z.array(z.object({ path: z.string(), rule: z.string() })).optional(),
});

/** An event, and the position after it. */
export interface PlacedEvent {
  readonly event: JournalEvent;
  /** In bytes. `after` of the next page. */
  readonly end: number;
}

interface JournalPage {
  readonly events: readonly PlacedEvent[];
  /** Position after the page. */
  readonly end: number;
  /** True if the journal contains more events. */
  readonly hasMore: boolean;
  /** Undefined without a journal. */
  readonly writtenAtMs: number | undefined;
}

/** Reads up to `limit` events after a position. Lines that are not events are skipped. */
export async function readRunJournal(
  stateFolder: string,
  id: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<JournalPage> {
  const part = await readJournalPart(stateFolder, id, { from: after, maxBytes: WINDOW_BYTES });
  const { bytes, writtenAtMs } = part ?? { bytes: Buffer.alloc(0), writtenAtMs: undefined };
  const events: PlacedEvent[] = [];
  let at = 0;
  // The last line can be incomplete.
  for (let next = bytes.indexOf(NEWLINE); next !== -1; next = bytes.indexOf(NEWLINE, at)) {
    if (events.length === limit) return { events, end: after + at, hasMore: true, writtenAtMs };
    const parsed = parseJson(bytes.toString('utf8', at, next));
    at = next + 1;
    const event = parsed.success ? eventSchema.safeParse(parsed.value).data : undefined;
    if (event !== undefined) events.push({ event, end: after + at });
  }
  const isFull = bytes.length === WINDOW_BYTES;
  // A run never writes a window without a line break.
  const end = after + (isFull && at === 0 ? bytes.length : at);
  return { events, end, hasMore: isFull, writtenAtMs };
}
