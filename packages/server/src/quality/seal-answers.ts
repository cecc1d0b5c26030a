/**
 * Sums of an owner's ended requests, which a report adds up instead of their rows.
 *
 * A report first adds the requests that ended since the last mark: mark → rows after it → sums → mark. The
 * erasure of a request deletes the owner's sums and mark, and the next report counts again.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import { forUpdate } from '@truecast/store/internal/locks';
import { write } from '@truecast/store/internal/write';
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import type { QualitySumRow } from '@truecast/store/internal/tables/quality';
import { readPage } from '../state/lists/bounded-page.ts';
import { factsText, sumAnswers, type AnswerSum, type SumWidth } from './answer-sum.ts';
import { ANSWER_COLUMNS, PAGE_BOUNDS, SIZE_OF_ANSWER, toAnswer, type Mark } from './quality-rows.ts';

/** A commit is visible later than its time of end, and clocks of servers differ. */
const LATE_MS = 5 * 60_000;
/** Fewer rows are read by each report, so that it writes nothing. */
const FEW_ROWS = 500;
const MAX_PAGES = 40;

/** A mark before every request. */
export const NO_MARK: Mark = { ended_at: -1, id: '' };

/** Adds the ended requests to the sums of their owner, at most 20,000 at once. */
export async function sealAnswers(store: Store, owner: string, now: number): Promise<void> {
  const until = now - LATE_MS;
  if (!(await hasMany(store, owner, until))) return;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    if (!(await store.transaction((tx) => sealPage(tx, owner, until)))) return;
    await setImmediate();
  }
}

async function hasMany({ db }: Store, owner: string, until: number): Promise<boolean> {
  const mark = await db.selectFrom('quality_marks').selectAll().where('owner', '=', owner).executeTakeFirst();
  const rows = await endedAfter(db, owner, mark ?? NO_MARK, until)
    .select('id')
    .limit(FEW_ROWS)
    .execute();
  return rows.length === FEW_ROWS;
}

function endedAfter(db: Store['db'], owner: string, mark: Mark, until: number) {
  return db
    .selectFrom('chat_requests')
    .where('owner', '=', owner)
    .where(sql<SqlBool>`(ended_at, id) > (${mark.ended_at}, ${mark.id})`)
    .where('ended_at', '<=', until)
    .where('erased', '=', 0)
    .where('status', 'in', ['succeeded', 'failed'])
    .orderBy('ended_at')
    .orderBy('id');
}

/** Returns true if there can be more. The row of the mark is locked, so that each request is added once. */
async function sealPage(tx: StoreTransaction, owner: string, until: number): Promise<boolean> {
  const { db } = tx;
  await db
    .insertInto('quality_marks')
    .values({ owner, ...NO_MARK })
    .onConflict((conflict) => conflict.column('owner').doNothing())
    .execute();
  const locked = db.selectFrom('quality_marks').selectAll().where('owner', '=', owner);
  const mark = await forUpdate(tx, locked).executeTakeFirstOrThrow();
  const found = endedAfter(db, owner, mark, until);
  const { rows, isCut } = await readPage(
    found.select(ANSWER_COLUMNS),
    found.select(SIZE_OF_ANSWER),
    PAGE_BOUNDS,
  );
  const last = rows.at(-1);
  if (last === undefined) return false;
  const answers = rows.map(toAnswer);
  for (const width of ['hour', 'day'] as const) await addSums(tx, owner, width, sumAnswers(answers, width));
  await db
    .updateTable('quality_marks')
    .set({ ended_at: last.ended_at ?? 0, id: last.id })
    .where('owner', '=', owner)
    .execute();
  return isCut;
}

async function addSums(
  tx: StoreTransaction,
  owner: string,
  width: SumWidth,
  sums: readonly AnswerSum[],
): Promise<void> {
  const rows = sums.flatMap((sum) => rowsOf(sum).map((row) => ({ owner, width, start: sum.start, ...row })));
  for (const chunk of rowChunks(rows)) {
    const added = tx.db.insertInto('quality_sums').values(chunk);
    const counts = Object.fromEntries(COUNTS.map((name) => [name, sumOf(name)]));
    await write(
      tx,
      added.onConflict((conflict) =>
        conflict.columns(['owner', 'width', 'start', 'key']).doUpdateSet({ ...counts, cost_usd: COST }),
      ),
    );
  }
}

const COUNTS = ['answers', 'first_try', 'valid', 'attempts', 'unanswered', 'failed'] as const;
const COST = sql<number | null>`case when excluded.cost_usd is null then quality_sums.cost_usd
  else coalesce(quality_sums.cost_usd, 0) + excluded.cost_usd end`;

function sumOf(column: (typeof COUNTS)[number]): RawBuilder<number> {
  return sql<number>`${sql.ref(`quality_sums.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
}

type CountedRow = Omit<QualitySumRow, 'owner' | 'width' | 'start'>;

function rowsOf({ counts, fields, ...sum }: AnswerSum): readonly CountedRow[] {
  const facts = factsText(sum);
  const { answers, firstTry: first_try, valid, attempts, unanswered, costUsd } = counts;
  const none = { answers: 0, first_try: 0, valid: 0, attempts: 0, unanswered: 0, cost_usd: null };
  const other = { path: null, rule: null, failed: 0 };
  return [
    {
      key: hashOf(facts),
      facts,
      answers,
      first_try,
      valid,
      attempts,
      unanswered,
      cost_usd: costUsd ?? null,
      ...other,
      time_bucket: null,
    },
    ...[...(counts.times ?? [])].map(([bucket, inBucket]) => ({
      ...none,
      ...other,
      key: hashOf(`${facts} ${bucket}`),
      facts,
      answers: inBucket,
      time_bucket: bucket,
    })),
    ...[...fields].map(([key, field]) => ({
      ...none,
      ...field,
      key: hashOf(facts + key),
      facts,
      time_bucket: null,
    })),
  ];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
