/** Claims on both databases: exact limits under concurrent claims, fairness, order and due times. */
import type { KyselyPlugin } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { lockName } from '@truecast/store/internal/locks';
import type { Store } from '@truecast/store/internal/database/store';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import type { ObservedRun } from '../../contract/observed-work.ts';
import { createServerLog } from '../../log/server-log.ts';
import { logRun } from '../../log/work-log.ts';
import { ServerMetrics } from '../../metrics/server-metrics.ts';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { describeOnPostgres } from '../../../../../test/describe-on-both-stores.ts';
import { matrixColumns } from '../../../../../test/matrix.ts';
import type { HeldRun } from './run-work.ts';
import { OFFERS, RUN_OWNER, runRequest, testRuns, type TestRuns } from './test-runs.ts';

const LIMITS = [
  ['perRepository', 3],
  ['perAgent', 4],
  ['perOwner', 2],
] as const;

describeOnBothStores('claims', (open, row) => {
  afterEach(async () => {
    const { db } = open();
    for (const table of [
      'agent_run_blobs',
      'agent_run_events',
      'agent_run_executions',
      'agent_runs',
    ] as const) {
      await db.deleteFrom(table).execute();
    }
  });

  const create = (machine: TestRuns, owner: string, rest: Parameters<typeof runRequest>[0] = {}) =>
    machine.createRun({ owner, request: runRequest(rest) });
  const claim = async (machine: TestRuns, worker = 'w1') =>
    (await machine.claimNext({ worker, offers: { repositories: ['web', 'api'], agents: ['claude-code'] } }))
      ?.claimed;

  it.each(matrixColumns(row, LIMITS, { rows: 2 }))(
    'never exceed %s, also when 100 come at once from 8 workers',
    async (limit, most) => {
      const limits = { [limit]: most };
      const machines = Array.from({ length: 8 }, () => testRuns(open(), { limits }));
      const [first] = machines;
      for (let count = 0; count < 20; count += 1) await create(first!, RUN_OWNER);
      for (let round = 0; round < 2; round += 1) {
        const claims = await Promise.all(
          Array.from({ length: 100 }, (_each, index) =>
            machines[index % 8]!.claimNext({ worker: `w${index}`, offers: OFFERS }),
          ),
        );
        const held = claims.filter((each) => each !== undefined);
        expect(held).toHaveLength(most);
        expect(new Set(held.map(({ claimed }) => claimed.id)).size).toBe(most);
        // Each end frees one place.
        for (const { fence } of held) await first!.endRun(fence, { status: 'succeeded', text: 'Done.' });
      }
    },
  );

  it('give the next place to an owner with one run, however many another one has queued', async () => {
    const machine = testRuns(open());
    for (let count = 0; count < 30; count += 1) await create(machine, 'many');
    expect((await claim(machine))?.owner).toBe('many');
    await create(machine, 'one');
    expect((await claim(machine))?.owner).toBe('one');
    expect((await claim(machine))?.owner).toBe('many');
  });

  it('delay the first run of an owner by one running run, and read no more, with 2,000 of another one queued', async () => {
    const { db, ...rest } = open();
    const created = await create(testRuns(open()), 'many');
    const row = await db.selectFrom('agent_runs').selectAll().executeTakeFirstOrThrow();
    const addMany = async (count: number): Promise<void> => {
      const rows = Array.from({ length: count }, (_each, index) => ({
        ...row,
        id: `many-${count}-${index}`,
      }));
      for (const chunk of rowChunks(rows, 500)) await db.insertInto('agent_runs').values(chunk).execute();
    };
    let statements = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const store: Store = {
      ...rest,
      db: db.withPlugin(counting),
      transaction: (work) => rest.transaction((tx) => work({ ...tx, db: tx.db.withPlugin(counting) })),
    };
    const machine = testRuns(store, { limits: { perRepository: 1 } });
    const claimed = async (): Promise<[HeldRun | undefined, number]> => {
      statements = 0;
      return [await machine.claimNext({ worker: 'w1', offers: OFFERS }), statements];
    };
    const [first, few] = await claimed();
    expect(first?.claimed.id).toBe(created.id);
    await addMany(2_000);
    const { id } = await create(machine, 'one');
    expect((await claimed())[0]).toBeUndefined();
    await machine.endRun(first!.fence, { status: 'succeeded', text: 'Done.' });
    const [next, many] = await claimed();
    expect([next?.claimed.id, many]).toEqual([id, few]);
  });

  it('start runs of one owner by priority, then by age, over all repositories', async () => {
    const machine = testRuns(open());
    const ids: string[] = [];
    for (const [repository, priority] of [
      ['web', 0],
      ['api', 0],
      ['web', 5],
      ['api', 9],
    ] as const) {
      machine.clock.nowMs += 1;
      ids.push((await create(machine, RUN_OWNER, { repository, priority })).id);
    }
    const order = [];
    for (let count = 0; count < 4; count += 1) order.push(ids.indexOf((await claim(machine))?.id ?? ''));
    expect(order).toEqual([3, 2, 0, 1]);
  });

  it('leave runs alone before their time and after their expiry, without hiding later ones', async () => {
    const machine = testRuns(open());
    const later = await create(machine, RUN_OWNER, {
      start_after: new Date(machine.clock.nowMs + 500).toISOString(),
    });
    await create(machine, RUN_OWNER, { expires_after_seconds: 1 });
    machine.clock.nowMs += 499;
    const due = await create(machine, RUN_OWNER, { priority: -5 });
    machine.clock.nowMs += 501;
    expect(await machine.expireRuns()).toBe(1);
    machine.clock.nowMs -= 501;
    expect((await claim(machine))?.id).toBe(due.id);
    expect(await claim(machine)).toBeUndefined();
    machine.clock.nowMs += 1;
    expect((await claim(machine))?.id).toBe(later.id);
  });

  it('are refused for runs that the process does not offer', async () => {
    const machine = testRuns(open());
    await create(machine, RUN_OWNER, { repository: 'other' });
    await create(machine, RUN_OWNER, { agent: 'codex' });
    expect(await claim(machine)).toBeUndefined();
  });

  it('end a run whose row cannot be read, and go on with the next one', async () => {
    const machine = testRuns(open());
    const broken = await create(machine, RUN_OWNER);
    machine.clock.nowMs += 1;
    const next = await create(machine, RUN_OWNER);
    await open().db.updateTable('agent_runs').set({ input: '{' }).where('id', '=', broken.id).execute();
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    expect(held?.claimed.id).toBe(next.id);
    await open().db.updateTable('agent_runs').set({ input: '{' }).where('id', '=', next.id).execute();
    const lost = { worker: 'w1', heartbeatAt: undefined };
    expect(await machine.takeOver({ runId: next.id, worker: 'w2', lost })).toBeUndefined();
    const { runs } = await machine.listRuns({ owner: RUN_OWNER, limit: 9 });
    expect(runs.map(({ status, error }) => [status, error?.code, error?.reason])).toEqual([
      ['failed', 'internal', 'unreadable'],
      ['failed', 'internal', 'unreadable'],
    ]);
  });

  it('leave a run of a newer process queued, and to its own worker', async () => {
    const machine = testRuns(open());
    const newer = await create(machine, RUN_OWNER);
    machine.clock.nowMs += 1;
    const known = await create(machine, RUN_OWNER);
    const toNewer = { input: JSON.stringify({ ...runRequest(), sandbox: 'new' }) };
    const change = (id: string) =>
      open().db.updateTable('agent_runs').set(toNewer).where('id', '=', id).execute();
    await change(newer.id);
    expect((await machine.claimNext({ worker: 'w1', offers: OFFERS }))?.claimed.id).toBe(known.id);
    expect(await machine.claimNext({ worker: 'w1', offers: OFFERS })).toBeUndefined();
    await change(known.id);
    const lost = { worker: 'w1', heartbeatAt: undefined };
    const taken = machine.takeOver({ runId: known.id, worker: 'w2', lost });
    await expect(taken).rejects.toMatchObject({ code: 'invalid-state' });
    const { runs } = await machine.listRuns({ owner: RUN_OWNER, limit: 9 });
    expect(runs.map(({ status }) => status)).toEqual(['running', 'queued']);
  });

  it('report each end once, after its commit', async () => {
    const ends: ObservedRun[] = [];
    const machine = testRuns(open(), { onRunEnd: (run) => ends.push(run) });
    const canceled = await create(machine, RUN_OWNER);
    await machine.requestCancel({ owner: RUN_OWNER, runId: canceled.id });
    const { id } = await create(machine, RUN_OWNER);
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    machine.clock.nowMs += 1_500;
    await machine.note(held!.fence, { note: { phase: 'working' } });
    await machine.endLost(held!.fence, { reason: 'no_tree' });
    await expect(machine.endLost(held!.fence, { reason: 'no_tree' })).rejects.toThrow();
    const facts = { origin: { ownerId: RUN_OWNER }, repository: 'web', agent: 'claude-code' };
    expect(ends).toEqual([
      { ...facts, runId: canceled.id, status: 'canceled', code: 'canceled', executions: 0 },
      {
        ...facts,
        runId: id,
        status: 'failed',
        code: 'worker_lost',
        reason: 'no_tree',
        executions: 1,
        durationMs: 1_500,
      },
    ]);
    const metrics = new ServerMetrics();
    for (const run of ends) metrics.observeRun(run);
    const lines: string[] = [];
    const log = createServerLog({ write: (line) => lines.push(line), level: 'info', mask: (text) => text });
    for (const run of ends) logRun(log, run);
    expect(await metrics.registry.metrics()).toContain(
      'truecast_agent_runs_total{status="failed",code="worker_lost"} 1',
    );
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { event: 'run', level: 'info', status: 'canceled' },
      { event: 'run', level: 'warn', run_id: id, code: 'worker_lost', duration_ms: 1_500 },
    ]);
  });

  it('a full queue of an owner refuses more runs of this owner only', async () => {
    const machine = testRuns(open(), { queuedPerOwner: 2 });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create(machine, 'full')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const [refused] = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'queue-full', limit: 2 } });
    await create(machine, 'other');
  });
});

describeOnPostgres('claims that wait for another process', ({ freshUrl, open }) => {
  it('leave connections for heartbeats and notes, however many places the process has', async () => {
    const url = await freshUrl();
    const [own, other] = [await open(url), await open(url)];
    const machine = testRuns(own);
    const runs = 20;
    for (let count = 0; count < runs; count += 1) {
      await machine.createRun({ owner: RUN_OWNER, request: runRequest() });
    }
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.transaction(async (tx) => {
      await lockName(tx, 'agent-runs');
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const claims = Array.from({ length: runs }, () => machine.claimNext({ worker: 'w1', offers: OFFERS }));
    try {
      // The first one can get a connection before the transactions of the claims.
      for (let count = 0; count < 3; count += 1) await machine.beat('w1');
    } finally {
      release.resolve();
      await holding;
    }
    const claimed = await Promise.all(claims);
    expect(new Set(claimed.map((run) => run?.claimed.id)).size).toBe(runs);
  });
});
