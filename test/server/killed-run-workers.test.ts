/** Kills workers of runs at random. Each run gets one receipt, and no limit is exceeded. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixRuns } from '../matrix.ts';

const HOST = await bundledHost(new URL('killed-run-worker-host.ts', import.meta.url));
const OWNER = 'anna';
const LIMIT = 4;
const WORKERS = 2;
const KILLS = matrixRuns(6, 60);
const RUNS_PER_KILL = 4;

describeOnBothStores('workers of runs that are killed', (fixture) => {
  const children = new Set<ChildProcess>();
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
  });

  // Only Linux can report that a process has ended before its lease has.
  it.runIf(process.platform === 'linux')('leave each run with one receipt', async () => {
    const url = await fixture.freshUrl();
    const store = await fixture.open(url);
    await using queue = Object.assign(await openJobQueue({ store, queues: [RUN_QUEUE] }), {
      [Symbol.asyncDispose]: () => queue.close(),
    });
    const machine = createRunMachine({
      store,
      deliver: (tx, { id }) => queue.enqueue({ queue: RUN_QUEUE, key: id, payload: id }, tx),
    });
    const request = {
      repository: 'web',
      agent: 'claude-code',
      prompt: 'Go',
      limits: { executions: 100 },
    };
    const ids: string[] = [];
    for (let count = 0; count < KILLS * RUNS_PER_KILL; count += 1) {
      ids.push((await machine.createRun({ owner: OWNER, request })).id);
    }
    const start = (): ChildProcess => {
      const child = spawn(process.execPath, [HOST, url, String(LIMIT)], { stdio: 'inherit' });
      children.add(child);
      return child;
    };
    const workers = Array.from({ length: WORKERS }, start);
    const isWorking = async (): Promise<boolean> => (await machine.heldByWorkers()).length > 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      while (!(await isWorking())) await sleep(20);
      await sleep(Math.random() * 200);
      const [victim] = workers.splice(0, 1);
      victim?.kill('SIGKILL');
      workers.push(start());
    }
    for (const runId of ids) {
      const run = await machine.waitForRun({ owner: OWNER, runId, waitMs: 200_000 });
      expect(run).toMatchObject({ status: 'succeeded', result: { text: `By ${run.executions}.` } });
      const events = await machine.listRunEvents({ runId, after: 0, limit: 1_000 });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      expect(events.filter(({ data }) => data.includes('"type":"receipt"'))).toHaveLength(1);
    }
    expect(await mostAtOnce()).toBeLessThanOrEqual(LIMIT);
    const lost = await store.db
      .selectFrom('agent_run_executions')
      .select('number')
      .where('ending', '=', 'lost')
      .execute();
    expect(lost.length).toBeGreaterThan(0);
    for (const worker of workers) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }

    /** Executions that overlap, as their rows say. A takeover ends one and starts the next one. */
    async function mostAtOnce(): Promise<number> {
      const rows = await store.db
        .selectFrom('agent_run_executions')
        .select(['started_at', 'ended_at'])
        .execute();
      const changes = rows.flatMap(({ started_at, ended_at }) => [
        [started_at, 1] as const,
        [ended_at ?? Infinity, -1] as const,
      ]);
      // An end and a start of the same millisecond are one after the other.
      changes.sort(([one, up], [other, down]) => one - other || up - down);
      let now = 0;
      return changes.reduce((most, [, change]) => Math.max(most, (now += change)), 0);
    }
  });
});
