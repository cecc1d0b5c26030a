/** Reads the events that models wrote as answers, the newest first. Their contents are untrusted. */
import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import { complianceOf } from '@truecast/core/internal/event-contract/answer-compliance';
import { parseJsonObject } from '@truecast/core/internal/json/parse-json';
import type { EventsTable } from '@truecast/store/internal/tables/events';
import type { StateDb } from '../state/rows/machine-context.ts';
import {
  isCounted,
  PAGE_ROWS,
  type AnswerFilter,
  type AnswerPages,
  type EndedAnswer,
} from './ended-answer.ts';

const COLUMNS = ['offset', 'kind', 'actor', 'payload', 'model', 'provenance', 'created_at'] as const;
type AnswerRow = Pick<Selectable<EventsTable>, (typeof COLUMNS)[number]>;

/**
 * Reads at most `maxRows` events. Offsets are nearly in the order of times.
 *
 * @yields pages of those that pass the filter, the newest event first
 * @returns true if no older event is missing
 */
export async function* readLedgerAnswers(db: StateDb, filter: AnswerFilter, maxRows: number): AnswerPages {
  let after: number | undefined;
  for (let read = 0; read < maxRows; read += PAGE_ROWS) {
    const rows = await readPage(db, after);
    yield rows.map(toAnswer).filter((answer) => isCounted(answer, filter));
    const last = rows.at(-1);
    if (rows.length < PAGE_ROWS || last === undefined) return true;
    if (Date.parse(last.created_at) < filter.since) return true;
    after = last.offset;
    await setImmediate();
  }
  return false;
}

function readPage(db: StateDb, after: number | undefined): Promise<AnswerRow[]> {
  const query = db
    .selectFrom('events')
    .select(COLUMNS)
    .where('provenance', 'is not', null)
    .orderBy('offset', 'desc')
    .limit(PAGE_ROWS);
  return (after === undefined ? query : query.where('offset', '<', after)).execute();
}

function toAnswer({
  kind,
  actor,
  payload: text,
  model,
  provenance: written,
  created_at,
}: AnswerRow): EndedAnswer {
  const [payload, provenance] = [parseJsonObject(text), parseJsonObject(written ?? '')];
  const compliance = complianceOf({ kind, payload, provenance });
  const { validOnFirstTry, raw, coerced, skipped, noContest } = compliance;
  const { rung, attempts } = provenance;
  const { agent } = payload;
  return {
    source: 'ensembles',
    createdAt: Date.parse(created_at),
    isValid: !(raw || coerced || skipped || noContest),
    isFirstTry: validOnFirstTry,
    // The provider counts from 0 if it does not validate.
    attempts: typeof attempts === 'number' && attempts > 1 ? Math.floor(attempts) : 1,
    issues: [],
    model,
    name: kind,
    schemaHash: null,
    agent: skipped ? (typeof agent === 'string' ? agent : null) : actor,
    mode: typeof rung === 'string' ? rung : null,
    costUsd: undefined,
    durationMs: undefined,
    deviations: compliance,
  };
}
