/** Reads an owner's ended requests in pages, the newest first, with the columns that quality needs. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import { receiptAttemptSchema, type ReceiptAttempt } from '../contract/receipt.ts';
import { afterCursor } from '../state/lists/cursors.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { readJson } from '../state/rows/stored-json.ts';

/** Which requests count. Times are milliseconds since 1970. */
export interface QualityFilter {
  readonly owner: string;
  readonly since: number;
  readonly until: number;
  readonly model?: string;
  readonly name?: string;
  readonly schemaHash?: string;
}

/** An ended request. */
export interface EndedAnswer {
  readonly createdAt: number;
  readonly isValid: boolean;
  readonly attempts: readonly ReceiptAttempt[];
  readonly model: string | null;
  readonly name: string | null;
  readonly schemaHash: string;
  readonly mechanism: string | null;
  readonly costUsd: number | undefined;
}

/** Statements stay short, because on SQLite each one blocks the event loop. */
const PAGE_ROWS = 500;

const COLUMNS = [
  'id',
  'created_at',
  'status',
  'attempts',
  'model',
  'name',
  'schema_hash',
  'mechanism',
  'usage',
] as const;

type AnswerRow = Pick<ChatRequestRow, (typeof COLUMNS)[number]>;

/**
 * Reads at most `maxRows` requests. Other work runs between two pages.
 *
 * @yields pages, the newest request first
 * @returns true if no older request is missing
 */
export async function* readAnswers(
  db: StateDb,
  filter: QualityFilter,
  maxRows: number,
): AsyncGenerator<readonly EndedAnswer[], boolean> {
  let after: string | undefined;
  for (let read = 0; read < maxRows; read += PAGE_ROWS) {
    const rows = await readPage(db, filter, after);
    yield rows.map(toAnswer);
    const last = rows.at(-1);
    if (rows.length < PAGE_ROWS || last === undefined) return true;
    after = `${last.created_at}.${last.id}`;
    await setImmediate();
  }
  return false;
}

function readPage(
  db: StateDb,
  { owner, since, until, model, name, schemaHash }: QualityFilter,
  after: string | undefined,
): Promise<AnswerRow[]> {
  let query = db
    .selectFrom('chat_requests')
    .select(COLUMNS)
    .where('owner', '=', owner)
    .where('erased', '=', 0)
    .where('status', 'in', ['succeeded', 'failed'])
    .where('created_at', '>=', since)
    .where('created_at', '<', until)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(PAGE_ROWS);
  if (model !== undefined) query = query.where('model', '=', model);
  if (name !== undefined) query = query.where('name', '=', name);
  if (schemaHash !== undefined) query = query.where('schema_hash', '=', schemaHash);
  return (after === undefined ? query : query.where(afterCursor(after))).execute();
}

const attemptList: z.ZodType<ReceiptAttempt[]> = z.array(receiptAttemptSchema);
const cost: z.ZodType<{ readonly cost_usd?: number | undefined }> = z.object({
  cost_usd: z.number().optional(),
});

function toAnswer(row: AnswerRow): EndedAnswer {
  return {
    createdAt: row.created_at,
    isValid: row.status === 'succeeded',
    attempts: readJson(attemptList, row.attempts),
    model: row.model,
    name: row.name,
    schemaHash: row.schema_hash,
    mechanism: row.mechanism,
    costUsd: row.usage === null ? undefined : readJson(cost, row.usage).cost_usd,
  };
}
