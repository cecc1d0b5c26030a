/** Reader of the ledger's rows: ensemble runs, and the events of one. Their contents are untrusted. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJsonObject } from '@truecast/core/internal/json/parse-json';
import type { EnsembleRunView, LedgerEventView } from '@truecast/client/internal/wire/ensemble';
import type { StateDb } from '../state/rows/machine-context.ts';

/** Part of a list, after an offset of the ledger. */
export interface LedgerPage {
  readonly after?: number | undefined;
  readonly limit: number;
}

interface Listed<T> {
  readonly items: readonly T[];
  /** Offset after which the next page begins. Absent on the last page. */
  readonly next?: number;
}

/** Lists the runs, the newest first. */
export async function listEnsembleRuns(
  db: StateDb,
  { after, limit }: LedgerPage,
): Promise<Listed<EnsembleRunView>> {
  let query = db.selectFrom('events').selectAll().where('kind', '=', 'run.started');
  if (after !== undefined) query = query.where('offset', '<', after);
  const starts = await query
    .orderBy('offset', 'desc')
    .limit(limit + 1)
    .execute();
  const shown = starts.slice(0, limit);
  const items = await withEnds(db, shown);
  const last = shown.at(-1);
  return { items, ...(starts.length > limit && last !== undefined && { next: last.offset }) };
}

/** Reads one run. Undefined if the ledger does not have it. */
export async function readEnsembleRun(db: StateDb, runId: string): Promise<EnsembleRunView | undefined> {
  return (await readEnsembleRuns(db, [runId]))[0];
}

/** Reads the runs in the ledger, oldest first. */
export async function readEnsembleRuns(
  db: StateDb,
  runIds: readonly string[],
): Promise<readonly EnsembleRunView[]> {
  return withEnds(db, await marksOf(db, runIds, 'run.started'));
}

/** Lists the events of a run, the oldest first. */
export async function listLedgerEvents(
  db: StateDb,
  runId: string,
  { after = 0, limit }: LedgerPage,
): Promise<Listed<LedgerEventView>> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('run_id', '=', runId)
    .where('offset', '>', after)
    .orderBy('offset')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toEvent),
    ...(rows.length > limit && last !== undefined && { next: last.offset }),
  };
}

interface EventRow {
  readonly offset: number;
  readonly id: string;
  readonly run_id: string;
  readonly turn: number;
  readonly kind: string;
  readonly actor: string;
  readonly payload: string;
  readonly created_at: string;
  readonly caused_by: string | null;
  readonly model: string | null;
  readonly provenance: string | null;
}

async function withEnds(db: StateDb, starts: readonly EventRow[]): Promise<readonly EnsembleRunView[]> {
  const runIds = starts.map(({ run_id }) => run_id);
  const ends = new Map((await marksOf(db, runIds, 'run.finished')).map((end) => [end.run_id, end]));
  return starts.map((start) => toRun(start, ends.get(start.run_id)));
}

/** Returns the starts or the ends of runs. The conductor appends one start and one end per run. */
async function marksOf(
  db: StateDb,
  runIds: readonly string[],
  kind: 'run.started' | 'run.finished',
): Promise<readonly EventRow[]> {
  if (runIds.length === 0) return [];
  return await db
    .selectFrom('events')
    .selectAll()
    .where('run_id', 'in', runIds)
    .where('kind', '=', kind)
    .orderBy('offset')
    .execute();
}

function toRun(start: EventRow, end: EventRow | undefined): EnsembleRunView {
  const payload = parseJsonObject(start.payload);
  const ending = end && parseJsonObject(end.payload);
  const { winner, winners, winning_models, reason } = ending ?? {};
  const competition = isRecord(payload['competition']) ? textOf(payload['competition']['kind']) : '';
  return {
    run_id: start.run_id,
    scenario: textOf(payload['scenario']),
    seed: textOf(payload['seed']),
    goal: textOf(payload['goal']),
    cast: Object.entries(isRecord(payload['cast']) ? payload['cast'] : {}).map(([name, seat]) => ({
      name,
      role: textOf(isRecord(seat) ? seat['role'] : undefined) || 'worker',
      model: textOf(isRecord(seat) ? seat['model'] : undefined),
    })),
    started_at: start.created_at,
    ...(competition !== '' && competition !== 'none' && { competition }),
    ...(end !== undefined && {
      ended_at: end.created_at,
      reason: textOf(reason),
      winners: textsOf(winners),
      winning_models: textsOf(winning_models),
    }),
    ...(typeof winner === 'string' && { winner }),
  };
}

function toEvent(row: EventRow): LedgerEventView {
  const { id, offset, turn, kind, actor, payload, created_at, caused_by, model, provenance } = row;
  return {
    id,
    offset,
    turn,
    kind,
    actor,
    payload: parseJsonObject(payload),
    created_at,
    ...(caused_by !== null && { caused_by }),
    ...(model !== null && { model }),
    ...(provenance !== null && { provenance: parseJsonObject(provenance) }),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
