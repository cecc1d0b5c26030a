/** Reads an owner's ended requests in pages, the newest first, with the columns that quality needs. */
import { setImmediate } from 'node:timers/promises';
import type { Expression, SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import { z } from 'zod';
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import type { QualityMarkRow } from '@truecast/store/internal/tables/quality';
import { toZod } from '../contract/to-zod.ts';
import { receiptAttempt, type ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import { bytesOf, readPage, type PageBounds } from '../state/lists/bounded-page.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { parseStored, receiptJson } from '../state/rows/stored-json.ts';
import { PAGE_ROWS, type AnswerFilter, type AnswerPages, type EndedAnswer } from './ended-answer.ts';

/** Filter of the counted requests. */
export interface QualityFilter extends AnswerFilter {
  readonly owner: string;
}

/** Columns of an ended request that are counted. */
export const ANSWER_COLUMNS = [
  'id',
  'created_at',
  'started_at',
  'ended_at',
  'status',
  'attempts',
  'receipt_version',
  'model',
  'name',
  'schema_hash',
  'mode',
  'usage',
] as const;

/** The last ended request that the sums contain. */
export type Mark = Pick<QualityMarkRow, 'ended_at' | 'id'>;

/** Size of a row whose columns are read. */
export const SIZE_OF_ANSWER: ReturnType<typeof bytesOf> = bytesOf('value_text', 'schema_text', 'attempts');

/** The columns that quality needs. */
export type AnswerRow = Pick<ChatRequestRow, (typeof ANSWER_COLUMNS)[number]>;

/** Requests of one page have few megabytes. SQLite walks over values on the main thread. */
export const PAGE_BOUNDS: PageBounds = { maxRows: PAGE_ROWS, maxBytes: 4 * 1024 * 1024 };

/** Part of the requests: before or after a mark of the sums. */
export interface MarkedPart {
  /** With `after`, the last ended request is read first, and otherwise the newest one. */
  readonly side: 'before' | 'after';
  readonly mark: Mark;
}

/**
 * Reads at most `maxRows` requests.
 *
 * @yields pages, the newest request first
 * @returns true if no older request is missing
 */
export async function* readAnswers(
  db: StateDb,
  filter: QualityFilter,
  maxRows: number,
  part?: MarkedPart,
): AnswerPages {
  // Requests have no agent.
  if (filter.agent !== undefined) return true;
  let query = endedRequests(db, filter);
  if (part !== undefined) query = query.where(isOnSide(part));
  const column = part?.side === 'after' ? 'ended_at' : 'created_at';
  let last: OrderedRow | undefined;
  for (let read = 0; read < maxRows;) {
    const before = last;
    const next = before === undefined ? query : query.where(isBefore(column, before));
    const { rows, isCut } = await readPage(
      next.select(ANSWER_COLUMNS).orderBy(column, 'desc').orderBy('id', 'desc'),
      next.select(SIZE_OF_ANSWER).orderBy(column, 'desc').orderBy('id', 'desc'),
      PAGE_BOUNDS,
    );
    yield rows.map(toAnswer);
    last = rows.at(-1);
    if (!isCut || last === undefined) return true;
    read += rows.length;
    await setImmediate();
  }
  return false;
}

type OrderedRow = Pick<ChatRequestRow, 'id' | 'created_at' | 'ended_at'>;

function isBefore(column: 'created_at' | 'ended_at', row: OrderedRow): () => Expression<SqlBool> {
  return () => sql<SqlBool>`(${sql.ref(column)}, id) < (${row[column]}, ${row.id})`;
}

function isOnSide({ side, mark }: MarkedPart): () => Expression<SqlBool> {
  const { ended_at: endedAt, id } = mark;
  return side === 'after'
    ? () => sql<SqlBool>`(ended_at, id) > (${endedAt}, ${id})`
    : () => sql<SqlBool>`(ended_at, id) <= (${endedAt}, ${id})`;
}

function endedRequests(db: StateDb, { owner, since, until, model, name, schemaHash }: QualityFilter) {
  let query = db
    .selectFrom('chat_requests')
    .where('owner', '=', owner)
    .where('erased', '=', 0)
    .where('status', 'in', ['succeeded', 'failed'])
    .where('created_at', '>=', since)
    .where('created_at', '<', until);
  if (model !== undefined) query = query.where('model', '=', model);
  if (name !== undefined) query = query.where('name', '=', name);
  return schemaHash === undefined ? query : query.where('schema_hash', '=', schemaHash);
}

const counted: z.ZodType<CountedJson> = z.object({
  attempts: z.array(toZod(receiptAttempt)),
  usage: z.object({ cost_usd: z.number().exactOptional() }).exactOptional(),
});

/** The counted part of a receipt's JSON. */
interface CountedJson {
  readonly attempts: readonly ReceiptAttempt[];
  readonly usage?: { readonly cost_usd?: number };
}

export function toAnswer(row: AnswerRow): EndedAnswer {
  const { attempts, usage } = parseStored(counted, receiptJson(row));
  const isValid = row.status === 'succeeded';
  return {
    source: 'chats',
    createdAt: row.created_at,
    isValid,
    isFirstTry: isValid && attempts.length === 1,
    attempts: attempts.length,
    issues: attempts.flatMap(({ issues }) => (issues === undefined ? [] : [issues])),
    model: row.model,
    name: row.name,
    schemaHash: row.schema_hash,
    agent: null,
    mode: row.mode,
    costUsd: usage?.cost_usd,
    durationMs: row.ended_at === null ? undefined : row.ended_at - (row.started_at ?? row.created_at),
  };
}
