/** Reader of run journals: events in the order in which they were written, a page at a time. */
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { JOURNAL_EVENT_TYPES, type JournalEvent } from './journal-event.ts';
import { readJournalPart } from './read-run-file.ts';

/** Larger than any line, because the text of a line is limited. */
const WINDOW_BYTES: number = 256 * 1024;
const NEWLINE = 10;

const eventSchema: z.ZodType<JournalEvent> = z.object({
  type: z.enum(JOURNAL_EVENT_TYPES),
  at: z.iso.datetime(),
  iteration: z.number().int().positive(),
  text: z.string().optional(),
  name: z.string().optional(),
  isError: z.literal(true).optional(),
});

/** An event, and the position after it. */
export interface PlacedEvent {
  readonly event: JournalEvent;
  /** In bytes. `after` of the next page. */
  readonly end: number;
}

export interface JournalPage {
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
