/** The worker of runs over a real store and a real queue, with an executor that follows a script. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { openJobQueue } from '@truecast/store/internal/queue/open-job-queue';
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import type { AgentExecutor, ClaimedRun, ExecutionEnding, RunOffers, RunReport } from '../agent-executor.ts';
import type { ClaimLimits } from '../claim-order.ts';
import { createRunMachine, type RunMachine } from '../state/run-machine.ts';
import type { RunRecord } from '../state/run-records.ts';
import { OFFERS, RUN_OWNER, runRequest } from '../state/test-runs.ts';
import { RUN_QUEUE, startRunWorker, type RunWorker, type RunWorkerOptions } from './run-scheduler.ts';

type Script = (run: ClaimedRun, report: RunReport) => Promise<ExecutionEnding>;

const DONE: ExecutionEnding = { status: 'succeeded', text: 'Done.', commits: ['c1'], headSha: 'c1' };

/** Resolves when the report's signal aborts. */
const stopped = ({ signal }: RunReport): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

describeOnBothStores('the worker of runs', (open) => {
  const closers: (() => Promise<unknown>)[] = [];
  const faults: unknown[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    const { db } = open();
    for (const table of [
      'agent_run_blobs',
      'agent_run_events',
      'agent_run_executions',
      'agent_runs',
      'run_workers',
    ] as const) {
      await db.deleteFrom(table).execute();
    }
    expect(faults.splice(0)).toEqual([]);
  });

  async function openQueue(): Promise<JobQueue> {
    const queue = await openJobQueue({ store: open(), queues: [RUN_QUEUE] });
    closers.push(() => queue.close());
    return queue;
  }

  function machineOf(queue: JobQueue | undefined, limits: ClaimLimits = {}): RunMachine {
    return createRunMachine({
      store: open(),
      limits,
      isDeadWorker: (worker) => worker === 'dead',
      ...(queue !== undefined && {
        deliver: (tx, { id }) => queue.enqueue({ queue: RUN_QUEUE, key: id, payload: id }, tx),
      }),
    });
  }

  async function start(
    {
      queue,
      machine,
      worker = 'w1',
      places = 2,
      offers = OFFERS,
    }: { queue: JobQueue; machine: RunMachine; worker?: string; places?: number; offers?: RunOffers },
    execute: Script,
    options: RunWorkerOptions = {},
  ): Promise<RunWorker> {
    const executor: AgentExecutor = { offers, places, execute };
    const started = await startRunWorker(
      {
        machine,
        executor,
        queue,
        worker,
        isDeadWorker: (name) => name === 'dead',
        onFault: (message, cause) => faults.push(message, cause),
      },
      { sweepMs: 50, heartbeatMs: 50, ...options },
    );
    closers.push(() => started.close());
    return started;
  }

  const create = (machine: RunMachine): Promise<RunRecord> =>
    machine.createRun({ owner: RUN_OWNER, request: runRequest() });
  const ended = (machine: RunMachine, runId: string): Promise<RunRecord> =>
    machine.waitForRun({ owner: RUN_OWNER, runId, waitMs: 20_000 });
  const executionsOf = async (machine: RunMachine, runId: string) =>
    (await machine.listExecutions(runId)).map(({ number, worker, ending }) => [number, worker, ending]);

  it('executes a queued run to its receipt, and stores each event once, in order', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    await start({ queue, machine }, async (_run, report) => {
      await report.note({ phase: 'working', baseSha: 'b0' });
      report.event({ type: 'session', session_id: 's1' });
      report.event({ type: 'text', text: 'One ' });
      report.event({ type: 'text', text: 'text.' });
      await report.note({ sessionId: 's1' });
      await report.note({ phase: 'answered' });
      report.event({ type: 'warning', message: 'late' });
      return DONE;
    });
    const { id } = await create(machine);
    const run = await ended(machine, id);
    expect(run).toMatchObject({ status: 'succeeded', baseSha: 'b0', headSha: 'c1', executions: 1 });
    expect(run.result).toEqual({ text: 'Done.', attempts: [], warnings: [], commits: ['c1'] });
    const events = await machine.listRunEvents({ runId: id, after: 0, limit: 100 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    const shown = events.map(({ data }) => {
      const { type, status, phase, text } = JSON.parse(data) as Record<string, string>;
      return [type, phase ?? status ?? text].join(' ').trim();
    });
    expect(shown).toEqual([
      'status preparing',
      'execution',
      'status working',
      'session',
      'text One text.',
      'status answered',
      'warning',
      'status succeeded',
      'receipt',
    ]);
  });

  it('stops the agent of a canceled run, whose receipt names the commits', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    const working = Promise.withResolvers<void>();
    await start({ queue, machine }, async (_run, report) => {
      working.resolve();
      await stopped(report);
      return { status: 'stopped', commits: ['c1'] };
    });
    const { id } = await create(machine);
    await working.promise;
    await machine.requestCancel({ owner: RUN_OWNER, runId: id });
    const run = await ended(machine, id);
    expect(run).toMatchObject({
      status: 'canceled',
      error: { code: 'canceled' },
      result: { commits: ['c1'] },
    });
  });

  it('stops the agent of a canceled run whose hint was lost, at its next heartbeat', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    const working = Promise.withResolvers<void>();
    await start({ queue, machine }, async (_run, report) => {
      working.resolve();
      await stopped(report);
      return { status: 'stopped' };
    });
    const { id } = await create(machine);
    await working.promise;
    await open().db.updateTable('agent_runs').set({ status: 'canceling' }).where('id', '=', id).execute();
    expect(await ended(machine, id)).toMatchObject({ status: 'canceled' });
  });

  it('leaves its runs when it closes, and another worker continues them', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    const working = Promise.withResolvers<void>();
    const first = await start({ queue, machine }, async (_run, report) => {
      await report.note({ phase: 'working', sessionId: 's1', baseSha: 'b0' });
      working.resolve();
      await stopped(report);
      return { status: 'stopped' };
    });
    const { id } = await create(machine);
    await working.promise;
    await first.close();
    const other = await openQueue();
    let earlier: unknown;
    await start({ queue: other, machine, worker: 'w2' }, async (run) => {
      ({ earlier } = run);
      return DONE;
    });
    expect(await ended(machine, id)).toMatchObject({ status: 'succeeded', baseSha: 'b0' });
    expect(earlier).toEqual({ phase: 'working', sessionId: 's1', baseSha: 'b0' });
    expect(await executionsOf(machine, id)).toEqual([
      [1, 'w1', 'left'],
      [2, 'w2', 'ended'],
    ]);
  });

  it('takes over the run of a dead worker, whose answer stays accepted and whose late commit is refused', async () => {
    const machine = machineOf(undefined);
    const { id } = await create(machine);
    const lost = await machine.claimNext({ worker: 'dead', offers: OFFERS });
    await machine.note(lost!.fence, { note: { phase: 'answered' } });
    const queue = await openQueue();
    const phases: unknown[] = [];
    await start({ queue, machine }, async ({ earlier }, report) => {
      await report.note({ phase: 'working' });
      phases.push(earlier?.phase, (await machine.readRun({ owner: RUN_OWNER, runId: id })).phase);
      return DONE;
    });
    expect(await ended(machine, id)).toMatchObject({ status: 'succeeded' });
    expect(phases).toEqual(['answered', 'answered']);
    expect(await executionsOf(machine, id)).toEqual([
      [1, 'dead', 'lost'],
      [2, 'w1', 'ended'],
    ]);
    await expect(machine.endRun(lost!.fence, DONE)).rejects.toMatchObject({ code: 'superseded' });
  });

  it('takes over the canceled run of a dead worker only to end it', async () => {
    const machine = machineOf(undefined);
    const { id } = await create(machine);
    await machine.claimNext({ worker: 'dead', offers: OFFERS });
    await machine.requestCancel({ owner: RUN_OWNER, runId: id });
    const queue = await openQueue();
    const reasons: unknown[] = [];
    await start({ queue, machine }, async (_run, { signal }) => {
      reasons.push(signal.reason);
      return { status: 'stopped' };
    });
    expect(await ended(machine, id)).toMatchObject({ status: 'canceled' });
    expect(reasons).toEqual(['canceled']);
  });

  it('ends the canceled run of a lost worker that no worker offers any more, with the commits of its row', async () => {
    const machine = machineOf(undefined);
    const { id } = await create(machine);
    const left = await machine.claimNext({ worker: 'w0', offers: OFFERS });
    await machine.leave(left!.fence, { commits: ['c1'], headSha: 'c1', baseSha: 'b0' });
    await machine.claimNext({ worker: 'dead', offers: OFFERS });
    await machine.requestCancel({ owner: RUN_OWNER, runId: id });
    const other = { repositories: ['api'], agents: ['claude-code'] };
    await start({ queue: await openQueue(), machine, offers: other }, async () => DONE, { leaseMs: 200 });
    expect(await ended(machine, id)).toMatchObject({
      status: 'canceled',
      error: { code: 'canceled' },
      headSha: 'c1',
      result: { commits: ['c1'] },
    });
    expect(await executionsOf(machine, id)).toEqual([
      [1, 'w0', 'left'],
      [2, 'dead', 'lost'],
    ]);
  });

  it('claims no run any more after its executor stopped by itself', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    let executions = 0;
    await start({ queue, machine }, async () => {
      executions += 1;
      return { status: 'stopped' };
    });
    const { id } = await create(machine);
    await vi.waitFor(async () => expect(await executionsOf(machine, id)).toEqual([[1, 'w1', 'left']]));
    // Some sweeps.
    await sleep(250);
    expect(executions).toBe(1);
    await start({ queue: await openQueue(), machine, worker: 'w2' }, async () => DONE);
    expect(await ended(machine, id)).toMatchObject({ status: 'succeeded', executions: 2 });
  });

  it('does not claim the run that it left with a claim that waited since before', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    let claims = 0;
    const isWaiting = Promise.withResolvers<void>();
    const isLeft = Promise.withResolvers<void>();
    const waiting: RunMachine = {
      ...machine,
      async claimNext(claim) {
        claims += 1;
        if (claims > 1) {
          isWaiting.resolve();
          await isLeft.promise;
        }
        return machine.claimNext(claim);
      },
      async leave(...left) {
        await machine.leave(...left);
        isLeft.resolve();
      },
    };
    let executions = 0;
    const { id } = await create(machine);
    const worker = await start({ queue, machine: waiting }, async () => {
      executions += 1;
      // The sweep claims for the second place.
      await isWaiting.promise;
      return { status: 'stopped' };
    });
    await isLeft.promise;
    await worker.close();
    expect(executions).toBe(1);
    expect(await executionsOf(machine, id)).toEqual([[1, 'w1', 'left']]);
  });

  it('takes over the run of a silent worker after its lease, and leaves that of one with heartbeats', async () => {
    const machine = machineOf(undefined);
    await create(machine);
    await create(machine);
    for (const worker of ['silent', 'alive']) {
      await machine.beat(worker);
      await machine.claimNext({ worker, offers: OFFERS });
    }
    const beating = setInterval(() => void machine.beat('alive'), 20);
    closers.push(async () => clearInterval(beating));
    const queue = await openQueue();
    await start({ queue, machine }, async () => DONE, { leaseMs: 400 });
    await vi.waitFor(
      async () => {
        const workers = (await machine.heldByWorkers()).map(({ worker }) => worker);
        expect(workers).toEqual(['alive']);
      },
      { timeout: 20_000 },
    );
  });

  it('waits for two leases of a worker whose agent can outlive it', async () => {
    const machine = machineOf(undefined);
    const { id } = await create(machine);
    await machine.beat('silent');
    await machine.claimNext({ worker: 'silent', offers: OFFERS });
    const queue = await openQueue();
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    closers.push(async () => vi.restoreAllMocks());
    let sweeps = 0;
    const counted: RunMachine = {
      ...machine,
      heldByWorkers() {
        sweeps += 1;
        return machine.heldByWorkers();
      },
    };
    let executions = 0;
    const executor: AgentExecutor = {
      offers: OFFERS,
      places: 1,
      leases: 2,
      execute: async () => {
        executions += 1;
        return { status: 'lost', reason: 'agent_may_live' };
      },
    };
    const onFault = (message: string, cause: unknown): void => void faults.push(message, cause);
    const ports = { machine: counted, executor, queue, worker: 'w1', isDeadWorker: () => false, onFault };
    const worker = await startRunWorker(ports, { sweepMs: 20, heartbeatMs: 50, leaseMs: 300 });
    closers.push(() => worker.close());
    for (nowMs = 0; nowMs < 600; nowMs += 100) {
      const before = sweeps;
      await vi.waitFor(() => expect(sweeps).toBeGreaterThan(before + 1));
    }
    expect(executions).toBe(0);
    expect(await ended(machine, id)).toMatchObject({ status: 'failed', error: { reason: 'agent_may_live' } });
    expect(executions).toBe(1);
  });

  it('ends a run whose workers are lost as often as its limit', async () => {
    const machine = machineOf(undefined);
    const { id } = await machine.createRun({
      owner: RUN_OWNER,
      request: runRequest({ limits: { executions: 1 } }),
    });
    await machine.claimNext({ worker: 'dead', offers: OFFERS });
    const queue = await openQueue();
    const reasons: unknown[] = [];
    await start({ queue, machine }, async (_run, { signal }) => {
      reasons.push(signal.reason);
      return { status: 'stopped', commits: ['c1'], headSha: 'c1' };
    });
    const run = await ended(machine, id);
    expect([run.status, run.error?.code, run.error?.reason]).toEqual(['failed', 'worker_lost', 'executions']);
    // The executor only reads the work that is on the branch.
    expect([run.headSha, run.result?.commits, reasons]).toEqual(['c1', ['c1'], ['leaving']]);
  });

  it('ends such a run with the commits of its row if the branch cannot be read', async () => {
    const machine = machineOf(undefined);
    const { id } = await machine.createRun({
      owner: RUN_OWNER,
      request: runRequest({ limits: { executions: 1 } }),
    });
    const left = await machine.claimNext({ worker: 'w0', offers: OFFERS });
    await machine.leave(left!.fence, { commits: ['c1'], headSha: 'c1', baseSha: 'b0' });
    await machine.claimNext({ worker: 'dead', offers: OFFERS });
    await start({ queue: await openQueue(), machine }, () => Promise.reject(new Error('unreadable')));
    const run = await ended(machine, id);
    expect([run.status, run.error?.reason, run.baseSha, run.headSha, run.result?.commits]).toEqual([
      'failed',
      'executions',
      'b0',
      'c1',
      ['c1'],
    ]);
  });

  it('continues an accepted answer beyond the limit of lost workers', async () => {
    const machine = machineOf(undefined);
    const { id } = await machine.createRun({
      owner: RUN_OWNER,
      request: runRequest({ limits: { executions: 1 } }),
    });
    const lost = await machine.claimNext({ worker: 'dead', offers: OFFERS });
    await machine.note(lost!.fence, { note: { phase: 'answered' } });
    const queue = await openQueue();
    await start({ queue, machine }, async () => DONE);
    expect(await ended(machine, id)).toMatchObject({ status: 'succeeded', executions: 2 });
  });

  it('stops an agent whose run another worker has', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    const working = Promise.withResolvers<void>();
    const reason = Promise.withResolvers<unknown>();
    await start({ queue, machine }, async (_run, report) => {
      working.resolve();
      await stopped(report);
      reason.resolve(report.signal.reason);
      return DONE;
    });
    const { id } = await create(machine);
    await working.promise;
    await open()
      .db.updateTable('agent_runs')
      .set({ worker: 'w9', generation: 2 })
      .where('id', '=', id)
      .execute();
    expect(await reason.promise).toBe('superseded');
    await sleep(50);
    expect(await machine.readRun({ owner: RUN_OWNER, runId: id })).toMatchObject({ status: 'running' });
  });

  it('fails a run whose executor throws, and one without a valid value', async () => {
    const queue = await openQueue();
    const machine = machineOf(queue);
    await start({ queue, machine }, async ({ request }) => {
      if (request.prompt === 'throw') throw new Error('broken');
      return { status: 'succeeded', valueText: '{"n":"x"}' };
    });
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const invalid = await machine.createRun({
      owner: RUN_OWNER,
      request: runRequest({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }),
      schemaHash: 'hash',
    });
    const broken = await machine.createRun({ owner: RUN_OWNER, request: runRequest({ prompt: 'throw' }) });
    expect(await ended(machine, invalid.id)).toMatchObject({
      status: 'failed',
      error: { code: 'internal', reason: 'invalid_value' },
      valueText: '{"n":"x"}',
    });
    expect(await ended(machine, broken.id)).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    expect(faults.splice(0)).toHaveLength(2);
  });

  it('never has more runs of a repository than its limit, with at most two refused claims a run', async () => {
    const RUNS = 40;
    const LIMIT = 3;
    let now = 0;
    let most = 0;
    // All runs of the limit are seen at once.
    const full = Promise.withResolvers<void>();
    const execute: Script = async () => {
      most = Math.max(most, (now += 1));
      if (most === LIMIT) full.resolve();
      await full.promise;
      now -= 1;
      return DONE;
    };
    const queue = await openQueue();
    const machine = machineOf(queue, { perRepository: LIMIT });
    const runs = await Promise.all(Array.from({ length: RUNS }, () => create(machine)));
    const workers = [
      await start({ queue, machine, places: 4 }, execute),
      await start({ queue: await openQueue(), machine, worker: 'w2', places: 4 }, execute),
    ];
    for (const { id } of runs) {
      expect(await ended(machine, id)).toMatchObject({ status: 'succeeded', executions: 1 });
    }
    expect(most).toBe(LIMIT);
    const refusals = workers.reduce((sum, worker) => sum + worker.refusals, 0);
    expect(refusals).toBeLessThanOrEqual(2 * RUNS);
  });
});
