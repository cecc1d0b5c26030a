/** Changes of runs by their worker: progress, ending, departure and takeover. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { write } from '@truecast/store/internal/write';
import type {
  ClaimedRun,
  ExecutionEnding,
  RunFailure,
  RunLoss,
  RunNote,
  RunOutcome,
} from '../agent-executor.ts';
import { judgeValue } from '../judge-value.ts';
import { boundBlobs } from '../run-blob.ts';
import type { NewRunEvent } from '../run-event.ts';
import { hasAnswer, type RunPhase, type StoredRunStatus } from '../run-transitions.ts';
import { putBlob } from '../../state/rows/run-blobs.ts';
import { CANCELED } from './run-changes.ts';
import type { AgentRunContext } from './run-context.ts';
import { endExecution, toResult, UNREADABLE, writeEnding, writeProgress } from './run-ending.ts';
import { readabilityOf, toRun } from './run-records.ts';
import { updateRun, type RunFence, type RunUpdate } from './run-update.ts';

/** A run that a worker has, with its fencing token. */
export interface HeldRun {
  readonly fence: RunFence;
  readonly claimed: ClaimedRun;
  /** Executions whose worker was lost. */
  readonly losses: number;
  /** True if its agent only has to stop. */
  readonly isCanceling: boolean;
}

/** Progress and events of an execution, to store in one transaction. */
export interface NotedWork {
  readonly note?: RunNote;
  readonly events?: readonly NewRunEvent[];
}

/** Stores progress, events and blobs of an execution. */
export function noteRun(context: AgentRunContext, fence: RunFence, work: NotedWork): Promise<void> {
  // A worker that finds a landed answer on its machine stores only that it has landed.
  const transition = hasAnswer(work.note?.phase) ? 'answer' : 'note';
  return updateRun(context, { runId: fence.runId, transition, authority: { fence } }, (update) =>
    writeNote(update, work),
  );
}

async function writeNote(update: RunUpdate, { note = {}, events = [] }: NotedWork): Promise<void> {
  const { next } = update;
  const { phase, sessionId, usage } = note;
  // A further execution begins again, and the answer of an earlier one stays accepted.
  if (phase !== undefined && isLater(phase, update.run.phase)) next.phase = phase;
  next.session_id = sessionId ?? next.session_id;
  writeProgress(update, note);
  update.events.push(...events);
  const { kept, warnings } = boundBlobs(note.blobs ?? []);
  for (const blob of kept) await putBlob(update.tx, update.run.id, blob);
  update.events.push(...warnings.map((message) => ({ type: 'warning', message }) as const));
  // Checkpoints repeat it.
  if (usage !== undefined && next.usage !== update.run.usage) update.events.push({ type: 'usage', usage });
}

/** Stores the last progress of an execution in the transaction of its end. Clients see the same events. */
async function writeLast(update: RunUpdate, last: NotedWork): Promise<void> {
  const { next, run, events } = update;
  const before = next.phase;
  await writeNote(update, last);
  if (next.phase === before || next.phase === null) return;
  // The end is not reached yet, so the status is that of the row.
  events.unshift({ type: 'status', status: run.status as StoredRunStatus, phase: next.phase });
}

const PHASES: readonly string[] = ['preparing', 'working', 'answered', 'settled'];

function isLater(phase: RunPhase, than: string | null): boolean {
  return PHASES.indexOf(phase) > PHASES.indexOf(than ?? '');
}

/** Ends a run with its receipt. A run that is being canceled ends canceled, whatever its result is. */
export function endRun(
  context: AgentRunContext,
  fence: RunFence,
  ending: Exclude<ExecutionEnding, { readonly status: 'stopped' | 'lost' }>,
  last: NotedWork = {},
): Promise<void> {
  return updateRun(
    context,
    { runId: fence.runId, transition: 'endRun', authority: { fence } },
    async (update) => {
      await writeLast(update, last);
      if (update.from === 'canceling') return writeEnding(update, { ...CANCELED, outcome: ending });
      if (ending.status === 'failed') {
        return writeEnding(update, { status: 'failed', error: ending.error, outcome: ending });
      }
      const error = judgeValue(toRun(update.run).request, ending.valueText);
      if (error === undefined) return writeEnding(update, { status: 'succeeded', outcome: ending });
      return writeEnding(update, { status: 'failed', error, outcome: ending });
    },
  );
}

/** Ends a run whose worker was lost, and whose work cannot be continued. */
export function endLost(
  context: AgentRunContext,
  fence: RunFence,
  { reason, outcome = {}, ...last }: NotedWork & { readonly reason: RunLoss; readonly outcome?: RunOutcome },
): Promise<void> {
  const change = { runId: fence.runId, transition: 'endLost', authority: { fence } } as const;
  return updateRun(context, change, async (update) => {
    await writeLast(update, last);
    return update.from === 'canceling'
      ? writeEnding(update, { ...CANCELED, outcome })
      : writeEnding(update, { status: 'failed', error: lossOf(reason), outcome });
  });
}

/** Gives a run back to the queue, or ends it if it is being canceled. The next worker continues its work. */
export function leaveRun(
  context: AgentRunContext,
  fence: RunFence,
  outcome: RunOutcome = {},
  last: NotedWork = {},
): Promise<void> {
  return updateRun(
    context,
    { runId: fence.runId, transition: 'leave', authority: { fence } },
    async (update) => {
      const { next, tx } = update;
      await writeLast(update, last);
      if (update.from === 'canceling') return writeEnding(update, { ...CANCELED, outcome }, 'left');
      await endExecution(update, 'left');
      writeProgress(update, outcome);
      // The receipt of a run that is canceled now names the work so far.
      next.result = JSON.stringify(toResult(outcome));
      next.status = 'queued';
      next.worker = null;
      // It has started in time.
      next.expires_at = null;
      return context.deliver(tx, { id: next.id, notBefore: 0 });
    },
  );
}

/** The worker that lost a run, as its successor saw it. */
export interface LostWorker {
  readonly worker: string;
  /** Its last heartbeat. Undefined without a row. */
  readonly heartbeatAt: number | undefined;
}

/**
 * Takes a run over from a lost worker. Undefined if its row is broken, and the run was ended.
 *
 * @throws ChatStateError `leased` if the worker has sent a heartbeat since then, `invalid-state` for a run of a
 *   newer process
 */
export function takeOverRun(
  context: AgentRunContext,
  { runId, worker, lost }: { readonly runId: string; readonly worker: string; readonly lost: LostWorker },
): Promise<HeldRun | undefined> {
  return updateRun(context, { runId, transition: 'takeOver', authority: {} }, async (update) => {
    await assertLost(update, lost);
    const readability = readabilityOf(update.run);
    if (readability === 'newer') throw newerRun(update);
    if (readability === 'broken') {
      const ending = update.from === 'canceling' ? { ...CANCELED, outcome: {} } : UNREADABLE;
      await writeEnding(update, ending, 'lost');
      return undefined;
    }
    await endExecution(update, 'lost');
    update.next.losses += 1;
    return hold(update, worker);
  });
}

/**
 * Ends a run that is being canceled, and whose worker was lost. It needs no other worker, and no row that this
 * version can read.
 *
 * @throws ChatStateError `leased` if the worker has sent a heartbeat since then
 */
export function endCanceling(
  context: AgentRunContext,
  { runId, lost }: { readonly runId: string; readonly lost: LostWorker },
): Promise<void> {
  return updateRun(context, { runId, transition: 'endLost', authority: {} }, async (update) => {
    await assertLost(update, lost);
    if (update.from === 'canceling') await writeEnding(update, { ...CANCELED, outcome: {} }, 'lost');
  });
}

/** Gives a run to a worker, and starts an execution. */
export async function hold(update: RunUpdate, worker: string): Promise<HeldRun> {
  const { next, run, now, tx, events } = update;
  next.worker = worker;
  next.generation += 1;
  next.started_at ??= now;
  next.phase ??= 'preparing';
  const number = next.generation;
  await write(
    tx,
    tx.db
      .insertInto('agent_run_executions')
      .values({ run_id: run.id, number, worker, started_at: now, ended_at: null, ending: null }),
  );
  events.push({ type: 'execution', number, worker: shownWorker(worker) });
  const { request, phase, baseSha, headSha, sessionId, pushedSha, continued, parentId } = toRun(run);
  const claimed: ClaimedRun = {
    id: run.id,
    owner: run.owner,
    execution: number,
    request,
    branch: run.branch,
    elapsedMs: Math.max(0, now - next.started_at),
    ...(continued !== undefined && { continued, ...(parentId !== undefined && { parentId }) }),
    ...(phase !== undefined && {
      earlier: {
        phase,
        ...(baseSha !== undefined && { baseSha }),
        ...(headSha !== undefined && { headSha }),
        ...(sessionId !== undefined && { sessionId }),
        ...(pushedSha !== undefined && { pushedSha }),
      },
    }),
  };
  return {
    fence: { runId: run.id, worker, generation: number },
    claimed,
    losses: next.losses,
    isCanceling: next.status === 'canceling',
  };
}

/** Returns the short name of a worker. Its whole name has the process id and the boot id of its machine. */
export function shownWorker(worker: string): string {
  return worker.split(' ').at(-1)?.slice(0, 8) ?? '';
}

function newerRun({ run, from }: RunUpdate): ChatStateError {
  return new ChatStateError('A newer process created this run. Leave it to a worker of that version.', {
    code: 'invalid-state',
    subject: run.id,
    transition: 'takeOver',
    from,
  });
}

async function assertLost({ tx, run, context }: RunUpdate, lost: LostWorker): Promise<void> {
  const row = await tx.db
    .selectFrom('run_workers')
    .select('heartbeat_at')
    .where('id', '=', lost.worker)
    .executeTakeFirst();
  const isSame = run.worker === lost.worker && row?.heartbeat_at === lost.heartbeatAt;
  if (isSame || (run.worker === lost.worker && context.isDeadWorker(lost.worker))) return;
  throw new ChatStateError('The worker of this run is alive. Leave the run to it.', {
    code: 'leased',
    subject: run.id,
    transition: 'takeOver',
  });
}

const LOSSES: Readonly<Record<RunLoss, string>> = {
  no_session: 'and the session of its agent was not stored',
  no_tree: 'and its worktree is not on this machine',
  agent_may_live: 'and its agent might still work',
  executions: 'as often as `limits.executions` allows',
};

function lossOf(reason: RunLoss): RunFailure {
  return {
    code: 'worker_lost',
    reason,
    message: `The worker of the run was lost, ${LOSSES[reason]}. Work after its last stored commit is unknown. Check the branch, and retry the run.`,
  };
}
