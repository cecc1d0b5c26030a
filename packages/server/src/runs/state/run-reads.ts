/** Reads of runs: single runs, lists, executions and events. */
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { StateDb } from '../../state/rows/machine-context.ts';
import type { ChatLabel } from '../../contract/chat-labels.ts';
import { labelled } from '../../state/rows/chat-labels.ts';
import type { ListDirection, ListSort } from '../../contract/run-archive.ts';
import { afterCursor, cutPage } from '../../state/lists/cursors.ts';
import { SORT_COLUMNS } from '../../state/lists/list-cursor.ts';
import { containsText } from '../../state/lists/text-match.ts';
import { waitForEnd } from '../../pacing/wait-for-end.ts';
import { isEndedRun, runNotFound, type StoredRunStatus } from '../run-transitions.ts';
import { getBlob, listBlobs } from '../../state/rows/run-blobs.ts';
import { isArtifactName, type RunBlob, type RunBlobInfo } from '../run-blob.ts';
import type { OwnedRun } from './run-changes.ts';
import type { RunHints } from './run-hints.ts';
import {
  RUN_COLUMNS,
  VALUE_PREVIEW,
  toPastExecution,
  toListedRun,
  toRun,
  type ListedRun,
  type PastExecution,
  type RunRecord,
} from './run-records.ts';
import { stateOfRow } from './run-update.ts';

/** Reads a run of an owner. @throws RequestRefusedError `not-found` */
export async function readRun(db: StateDb, { owner, runId }: OwnedRun): Promise<RunRecord> {
  const row = await db
    .selectFrom('agent_runs')
    .selectAll()
    .where('id', '=', runId)
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (row === undefined) throw runNotFound();
  return toRun(row);
}

/**
 * Waits until a run has ended, and returns it. Returns its current state at the timeout. The row is read whole
 * before and after the wait: a run has ten commits, and its request can be large.
 */
export async function waitForRun(
  db: StateDb,
  hints: RunHints,
  { waitMs, signal, ...owned }: OwnedRun & { readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<RunRecord> {
  if (waitMs > 0) {
    await waitForEnd({
      read: () => readStatus(db, owned),
      hasEnded: isEndedRun,
      listen: (wake) =>
        hints.onRun(owned.runId, (notice) => {
          if (notice === undefined || isEndedRun(notice.status)) wake();
        }),
      waitMs,
      signal,
    });
  }
  return readRun(db, owned);
}

/** Returns the ids that runs of an owner have. */
export async function ownIds(
  db: StateDb,
  { owner, ids }: { readonly owner: string; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('agent_runs')
    .select('id')
    .where('id', 'in', ids)
    .where('owner', '=', owner)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** @throws RequestRefusedError `not-found` */
async function readStatus(db: StateDb, { owner, runId }: OwnedRun): Promise<StoredRunStatus> {
  const query = db.selectFrom('agent_runs').select('status').where('id', '=', runId);
  const row = await query.where('owner', '=', owner).executeTakeFirst();
  if (row === undefined) throw runNotFound();
  // The table limits the column.
  return row.status as StoredRunStatus;
}

/** Lists the executions of a run, the first one first. */
export async function listExecutions(db: StateDb, runId: string): Promise<readonly PastExecution[]> {
  const rows = await db
    .selectFrom('agent_run_executions')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('number')
    .execute();
  return rows.map(toPastExecution);
}

/** Reads a blob of a run of an owner. @throws RequestRefusedError `not-found` */
export async function readBlob(
  db: StateDb,
  { name, ...owned }: OwnedRun & { readonly name: string },
): Promise<RunBlob> {
  await assertOwned(db, owned);
  const blob = await getBlob(db, owned.runId, name);
  if (blob === undefined) throw noArtifact();
  return blob;
}

/** Lists the artifacts of a run of an owner by name. @throws RequestRefusedError `not-found` */
export async function listArtifacts(db: StateDb, owned: OwnedRun): Promise<readonly RunBlobInfo[]> {
  await assertOwned(db, owned);
  return artifactsOf(db, owned.runId);
}

/** Lists the artifacts of a run by name, without their bytes: at most one of each name. */
export async function artifactsOf(db: StateDb, runId: string): Promise<readonly RunBlobInfo[]> {
  const blobs = await listBlobs(db, runId);
  return blobs.filter(({ name }) => isArtifactName(name));
}

/** Reads an artifact. Blobs of the workers are not artifacts. @throws RequestRefusedError `not-found` */
export async function readArtifact(
  db: StateDb,
  blob: OwnedRun & { readonly name: string },
): Promise<RunBlob> {
  if (isArtifactName(blob.name)) return readBlob(db, blob);
  await assertOwned(db, blob);
  throw noArtifact();
}

function noArtifact(): RequestRefusedError {
  return new RequestRefusedError(
    'The run has no artifact of this name. List those that it has with `GET /api/runs/ID/artifacts`.',
    { code: 'not-found' },
  );
}

async function assertOwned(db: StateDb, { owner, runId }: OwnedRun): Promise<void> {
  const query = db.selectFrom('agent_runs').select('id').where('id', '=', runId).where('owner', '=', owner);
  if ((await query.executeTakeFirst()) === undefined) throw runNotFound();
}

/** Changes of an owner's runs to read. */
export interface ChangedRunsQuery {
  readonly owner: string;
  /** Milliseconds since 1970. Runs that a worker has, and those given back to the queue, are always read. */
  readonly since: number;
  /** Only these runs. @default all */
  readonly runIds?: readonly string[];
  readonly limit: number;
}

/** Reads runs that changed since a time, the oldest first. Undefined if there are more than the limit. */
export async function changedRuns(
  db: StateDb,
  { owner, since, runIds, limit }: ChangedRunsQuery,
): Promise<readonly ListedRun[] | undefined> {
  const runs = db
    .selectFrom('agent_runs')
    .select(RUN_COLUMNS)
    .select(VALUE_PREVIEW)
    .where('owner', '=', owner);
  const changed =
    runIds === undefined
      ? runs.where(({ or, and, eb }) =>
          or([
            eb('worker', 'is not', null),
            and([eb('status', '=', 'queued'), eb('generation', '>', 0)]),
            eb('created_at', '>=', since),
            eb('ended_at', '>=', since),
          ]),
        )
      : runs.where('id', 'in', runIds);
  const rows = await changed
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  return rows.length > limit ? undefined : rows.map(toListedRun);
}

export interface RunQuery {
  readonly owner: string;
  readonly limit: number;
  readonly status?: StoredRunStatus;
  readonly repository?: string;
  readonly agent?: string;
  readonly model?: string;
  /** Contained in the beginning of the prompt, or in the branch. */
  readonly q?: string;
  readonly parentId?: string;
  readonly metadata?: ChatLabel;
  /** `next` of the previous page. */
  readonly after?: string;
  /** By creation, or by a number of the receipt. A run without the number is left out. @default 'created' */
  readonly sort?: ListSort;
  /** @default 'desc' */
  readonly direction?: ListDirection;
}

/** Lists runs in the order of the query. */
export async function listRuns(
  db: StateDb,
  { owner, limit, after, sort = 'created', direction = 'desc', ...filter }: RunQuery,
): Promise<{ readonly runs: readonly ListedRun[]; readonly next?: string }> {
  const { status, repository, agent, model, q, parentId, metadata } = filter;
  const column = SORT_COLUMNS[sort];
  let query = db
    .selectFrom('agent_runs')
    .select(RUN_COLUMNS)
    .select(['duration_ms', 'cost_micro_usd'])
    .select(VALUE_PREVIEW)
    .where('owner', '=', owner);
  if (status !== undefined) query = query.where('status', '=', status);
  if (repository !== undefined) query = query.where('repository', '=', repository);
  if (agent !== undefined) query = query.where('agent', '=', agent);
  if (model !== undefined) query = query.where('model', '=', model);
  if (q !== undefined) {
    query = query.where(({ or }) => or([containsText('prompt_preview', q)(), containsText('branch', q)()]));
  }
  if (parentId !== undefined) query = query.where('parent_id', '=', parentId);
  if (metadata !== undefined) query = query.where(labelled(metadata, 'metadata'));
  if (column !== 'created_at') query = query.where(column, 'is not', null);
  if (after !== undefined) query = query.where(afterCursor(after, { column, direction }));
  const rows = await query
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, column);
  return { runs: page.map(toListedRun), ...(next !== undefined && { next }) };
}

/** A stored event: its position and its JSON. */
export interface RunEventRow {
  readonly seq: number;
  readonly data: string;
}

/** Lists events after a position, in order. */
export async function listRunEvents(
  db: StateDb,
  { runId, after, limit }: { readonly runId: string; readonly after: number; readonly limit: number },
): Promise<readonly RunEventRow[]> {
  return db
    .selectFrom('agent_run_events')
    .select(['seq', 'data'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** Instruction to the worker of a run. */
export type RunStanding = 'running' | 'canceling';

/** Reads the runs of a worker by id and generation. A run that is missing has another worker, or has ended. */
export async function runsOfWorker(db: StateDb, worker: string): Promise<ReadonlyMap<string, RunStanding>> {
  const rows = await db
    .selectFrom('agent_runs')
    .select(['id', 'generation', 'status', 'phase'])
    .where('worker', '=', worker)
    .execute();
  return new Map(
    rows.map((row) => [
      `${row.id} ${row.generation}`,
      stateOfRow(row) === 'canceling' ? 'canceling' : 'running',
    ]),
  );
}
