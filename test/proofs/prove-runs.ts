/**
 * Proof of agent runs: workers are killed at random, and each accepted run gets one receipt. The executor
 * only waits. `test/server/run-crash.test.ts` has kills with git and a sandbox.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { bundledHost } from '../bundled-host.ts';

/** Options of the proof. */
export interface RunKills {
  readonly kills: number;
  readonly databaseUrl: string;
  /** Folder of the built worker. @default one that the tests remove */
  readonly folder?: string | undefined;
  readonly onKill?: (done: number) => void;
}

/** Counted facts. */
export interface RunKillFacts {
  readonly kills: number;
  readonly runs: number;
  /** Runs that succeeded, with the text of their last execution. */
  readonly succeeded: number;
  /** Events `receipt` of all runs. */
  readonly receipts: number;
  /** Runs whose events have a gap, or do not end with the receipt. */
  readonly brokenStreams: number;
  readonly lostExecutions: number;
  /** Executions at the same time, as their rows say. */
  readonly mostAtOnce: number;
}

/** Runs of the repository that may be executed at once. */
export const RUN_LIMIT = 4;

const OWNER = 'anna';
const WORKERS = 2;
const RUNS_PER_KILL = 4;
const REQUEST = { repository: 'web', agent: 'claude-code', prompt: 'Go', limits: { executions: 100 } };

/** Kills workers, and waits for the end of all runs. */
export async function proveRuns({ kills, databaseUrl, folder, onKill }: RunKills): Promise<RunKillFacts> {
  const host = await bundledHost(new URL('run-worker-host.ts', import.meta.url), folder);
  const store = await openStore({ url: databaseUrl });
  const queue = await openJobQueue({ store, queues: [RUN_QUEUE] });
  const workers: ChildProcess[] = [];
  const start = (): void => {
    workers.push(spawn(process.execPath, [host, databaseUrl, String(RUN_LIMIT)], { stdio: 'inherit' }));
  };
  try {
    const machine = createRunMachine({
      store,
      deliver: (tx, { id }) => queue.enqueue({ queue: RUN_QUEUE, key: id, payload: id }, tx),
    });
    const create = async (): Promise<string> =>
      (await machine.createRun({ owner: OWNER, request: REQUEST })).id;
    for (let count = 0; count < WORKERS; count += 1) start();
    const ids: string[] = [];
    for (let done = 1; done <= kills; done += 1) {
      for (let count = 0; count < RUNS_PER_KILL; count += 1) ids.push(await create());
      const [victim] = workers.splice(0, 1);
      // Its name has its process id.
      const isVictims = ({ worker }: { readonly worker: string }): boolean =>
        worker.split(' ')[3] === String(victim?.pid);
      for (let looks = 1; !(await machine.heldByWorkers()).some(isVictims); looks += 1) {
        // The other worker can have executed all of them.
        if (looks % 10 === 0) ids.push(await create());
        await sleep(20);
      }
      await sleep(Math.random() * 150);
      victim?.kill('SIGKILL');
      start();
      onKill?.(done);
    }
    let succeeded = 0;
    for (const runId of ids) {
      const run = await machine.waitForRun({ owner: OWNER, runId, waitMs: 200_000 });
      if (run.status === 'succeeded' && run.result?.text === `By ${run.executions}.`) succeeded += 1;
    }
    return {
      kills,
      runs: ids.length,
      succeeded,
      ...(await countEvents(store)),
      ...(await countExecutions(store)),
    };
  } finally {
    for (const worker of workers) {
      worker.kill('SIGKILL');
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    }
    await queue.close();
    await store.close();
  }
}

async function countEvents({ db }: Store): Promise<Pick<RunKillFacts, 'receipts' | 'brokenStreams'>> {
  const rows = await db.selectFrom('agent_run_events').selectAll().orderBy('run_id').orderBy('seq').execute();
  const byRun = Map.groupBy(rows, ({ run_id }) => run_id);
  const isReceipt = (data: string | undefined): boolean => data?.startsWith('{"type":"receipt"') === true;
  return {
    receipts: rows.filter(({ data }) => isReceipt(data)).length,
    brokenStreams: [...byRun.values()].filter(
      (events) => events.some(({ seq }, index) => seq !== index + 1) || !isReceipt(events.at(-1)?.data),
    ).length,
  };
}

async function countExecutions({ db }: Store): Promise<Pick<RunKillFacts, 'lostExecutions' | 'mostAtOnce'>> {
  const rows = await db.selectFrom('agent_run_executions').selectAll().execute();
  const changes = rows.flatMap(({ started_at, ended_at }) => [
    [started_at, 1] as const,
    [ended_at ?? Infinity, -1] as const,
  ]);
  // An end and a start of the same millisecond are one after the other.
  changes.sort(([one, up], [other, down]) => one - other || up - down);
  let now = 0;
  return {
    lostExecutions: rows.filter(({ ending }) => ending === 'lost').length,
    mostAtOnce: changes.reduce((most, [, change]) => Math.max(most, (now += change)), 0),
  };
}
