/** Reads an owner's ended requests in pages, the newest first, with the columns that quality needs. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import { receiptAttemptSchema, type ReceiptAttempt } from '../contract/receipt.ts';
import { afterCursor } from '../state/lists/cursors.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { readJson } from '../state/rows/stored-json.ts';
import { PAGE_ROWS, type AnswerFilter, type AnswerPages, type EndedAnswer } from './ended-answer.ts';

/** Filter of the counted requests. */
export interface QualityFilter extends AnswerFilter {
  readonly owner: string;
}

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
 * Reads at most `maxRows` requests.
 *
 * @yields pages, the newest request first
 * @returns true if no older request is missing
 */
export async function* readAnswers(db: StateDb, filter: QualityFilter, maxRows: number): AnswerPages {
  // Requests have no agent.
  if (filter.agent !== undefined) return true;
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
  const attempts = readJson(attemptList, row.attempts);
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
    mechanism: row.mechanism,
    costUsd: row.usage === null ? undefined : readJson(cost, row.usage).cost_usd,
  };
}
