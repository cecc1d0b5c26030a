/** Reads the sums of an owner's ended requests: whole days and hours of a range. */
import { setImmediate } from 'node:timers/promises';
import type { SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import { z } from 'zod';
import type { Store } from '@truecast/store/internal/database/store';
import type { QualitySumRow } from '@truecast/store/internal/tables/quality';
import type { QualityBucketWidth } from '@truecast/client/internal/wire/quality';
import type { StateDb } from '../state/rows/machine-context.ts';
import { readJson } from '../state/rows/stored-json.ts';
import { noCounts } from './answer-counts.ts';
import type { AnswerSum, SumFacts, SumWidth } from './answer-sum.ts';
import { wholePeriods, type TimeRange } from './bucket-width.ts';
import type { Mark, QualityFilter } from './quality-rows.ts';
import { NO_MARK } from './seal-answers.ts';

/** Other work runs between two pages. */
const PAGE_ROWS = 1_000;

export interface KeptSums {
  /** The sums contain the requests up to it. */
  readonly mark: Mark;
  readonly sums: readonly AnswerSum[];
  /** The part of the range that they cover. */
  readonly covered: TimeRange;
}

/** Reads the sums for buckets of a width, in one snapshot with their mark. */
export function readSums(
  store: Pick<Store, 'view'>,
  filter: QualityFilter,
  bucket: QualityBucketWidth,
): Promise<KeptSums> {
  const { owner, since } = filter;
  return store.view(async (db) => {
    const marks = db.selectFrom('quality_marks').select(['ended_at', 'id']).where('owner', '=', owner);
    const mark = (await marks.executeTakeFirst()) ?? NO_MARK;
    // A request is created before it ends, so that the sums contain nothing after the mark.
    const isOpen = filter.until > mark.ended_at;
    const until = isOpen ? mark.ended_at + 1 : filter.until;
    const { days, hours, covered } = wholePeriods({ since, until }, { isOpen, bucket });
    const sums: AnswerSum[] = [];
    for (const range of days) sums.push(...(await sumsOf(db, filter, 'day', range)));
    for (const range of hours) sums.push(...(await sumsOf(db, filter, 'hour', range)));
    return { mark, sums, covered };
  });
}

async function sumsOf(
  db: StateDb,
  filter: QualityFilter,
  width: SumWidth,
  range: TimeRange,
): Promise<readonly AnswerSum[]> {
  const sums = new Map<string, AnswerSum>();
  for await (const row of rowsOf(db, filter.owner, width, range)) {
    const { start, path, rule, failed, time_bucket: bucket } = row;
    const facts = toFacts(row.facts);
    if (!isWanted(facts, filter)) continue;
    const key = `${start} ${row.facts}`;
    const sum = sums.get(key) ?? { ...facts, start, counts: noCounts(), fields: new Map() };
    sums.set(key, sum);
    if (path !== null && rule !== null) sum.fields.set(row.key, { path, rule, failed });
    else if (bucket !== null) sum.counts.times?.set(bucket, row.answers);
    else Object.assign(sum.counts, countsOf(row));
  }
  return [...sums.values()];
}

async function* rowsOf(
  db: StateDb,
  owner: string,
  width: SumWidth,
  { since, until }: TimeRange,
): AsyncGenerator<QualitySumRow> {
  const rows = db
    .selectFrom('quality_sums')
    .selectAll()
    .where('owner', '=', owner)
    .where('width', '=', width)
    .where('start', '<', until)
    .orderBy('start')
    .orderBy('key')
    .limit(PAGE_ROWS);
  for (let [start, key] = [since, '']; ;) {
    const page = await rows.where(sql<SqlBool>`(start, key) > (${start}, ${key})`).execute();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    [start, key] = [last.start, last.key];
    await setImmediate();
  }
}

function countsOf(row: QualitySumRow) {
  const { answers, first_try: firstTry, valid, attempts, unanswered, cost_usd: costUsd } = row;
  return { answers, firstTry, valid, attempts, unanswered, costUsd: costUsd ?? undefined };
}

const text = z.string().nullable();
const factsSchema = z.tuple([text, text, text, text]);

function toFacts(stored: string): SumFacts {
  const [model, name, schemaHash, mode] = readJson(factsSchema, stored);
  return { model, name, schemaHash, mode };
}

function isWanted(facts: SumFacts, { model, name, schemaHash }: QualityFilter): boolean {
  if (model !== undefined && facts.model !== model) return false;
  if (name !== undefined && facts.name !== name) return false;
  return schemaHash === undefined || facts.schemaHash === schemaHash;
}
