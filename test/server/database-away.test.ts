/**
 * The database of four workers (two in the short form of the matrix) is away for longer than their lease: no run is taken
 * over, and each has one receipt. The agents of half of them end while it is away. Another worker, without a run, reaches
 * it first again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { WorkerWatch } from '../../packages/server/src/runs/workers/worker-watch.ts';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';
import { FORM } from '../matrix.ts';
import { postgresProxy, type Outage, type PostgresProxy } from './postgres-proxy.ts';
import { CLAUDE, makeRunWorld, worktreeOf } from './run-world.ts';

const LEASE_MS = 3_000;
/** A worker that reaches the database would take over after one. */
const LEASES_AWAY = 2;
const PATIENCE = { timeout: 60_000 };
const { begin, commit, session, storeSession, say, answer } = CLAUDE;
/** The agent waits for a file in its worktree, which the test writes. */
const SCRIPT = [
  begin,
  session,
  storeSession,
  commit('half'),
  say('I wait.'),
  'while [ ! -e go ]; do sleep 0.4; done; rm go',
  commit('rest'),
  answer(42),
];
/** How each worker loses the database. */
const OUTAGES: readonly Outage[] =
  FORM === 'whole' ? ['refused', 'refused', 'silent', 'silent'] : ['refused', 'silent'];

describeOnPostgres('workers whose database is away', ({ open, freshUrl }) => {
  itInBubblewrap('keep their runs, and end each one once', { timeout: 180_000 }, async () => {
    const url = await freshUrl();
    const store = await open(url);
    const times = { leaseMs: LEASE_MS, heartbeatMs: 300 };
    const world = await makeRunWorld({ store, url, script: SCRIPT, times });
    const { machine, cwd } = world;
    await using proxies = new AsyncDisposableStack();
    const openGate = async (): Promise<PostgresProxy> => proxies.use(await postgresProxy(url));
    const gates = await Promise.all(OUTAGES.map(openGate));
    const workers = await Promise.all(gates.map((gate) => world.start({ url: gate.url, places: 1 })));
    const runIds = await Promise.all(workers.map(() => world.create()));
    for (const runId of runIds) await world.said(runId, 'I wait.');
    const first = await openGate();
    const idle = await world.start({ url: first.url });
    await expect.poll(async () => (await machine.liveWorkers()).length, PATIENCE).toBe(workers.length + 1);
    // In the time of some heartbeats, it has seen the others.
    const beats = new Set<number | undefined>();
    const beatsSoFar = async (): Promise<number> =>
      beats.add((await machine.heldByWorkers())[0]?.heartbeatAt).size;
    await expect.poll(beatsSoFar, PATIENCE).toBeGreaterThan(3);
    const held = await machine.heldByWorkers();
    // One run for each worker, in the order of the workers.
    const runOf = workers.map(
      ({ process: { pid } }) => held.find(({ worker }) => worker.split(' ')[3] === String(pid))?.runId ?? '',
    );
    expect([...runOf].toSorted()).toEqual([...runIds].toSorted());
    const goOn = (runId: string): void =>
      writeFileSync(join(worktreeOf(cwd, `truecast/runs/${runId}`), 'go'), '');

    first.cut('refused');
    for (const [index, gate] of gates.entries()) gate.cut(OUTAGES[index] ?? 'refused');
    for (const runId of runOf.filter((_runId, index) => index % 2 === 0)) goOn(runId);
    const watch = new WorkerWatch({ leaseMs: LEASE_MS, gapMs: LEASE_MS, now: () => performance.now() });
    const areSilent = async (): Promise<boolean> => {
      const seen = await machine.heldByWorkers();
      const isSilent = watch.read(seen);
      return seen.length === workers.length && seen.every(({ worker }) => isSilent(worker, LEASES_AWAY));
    };
    await expect.poll(areSilent, PATIENCE).toBe(true);
    const next = await world.create();
    first.restore();
    // Its search takes over before it claims.
    const isClaimed = async (): Promise<boolean> =>
      (await machine.heldByWorkers()).some(({ runId }) => runId === next);
    await expect.poll(isClaimed, PATIENCE).toBe(true);
    for (const gate of gates) gate.restore();
    await world.said(next, 'I wait.');
    goOn(next);
    for (const runId of runOf.filter((_runId, index) => index % 2 === 1)) goOn(runId);

    for (const runId of [...runIds, next]) {
      expect(await world.ended(runId)).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
      expect(world.subjects(runId)).toEqual(['start', 'half', 'rest']);
      expect((await machine.listExecutions(runId)).map(({ ending }) => ending)).toEqual(['ended']);
      const events = await machine.listRunEvents({ runId, after: 0, limit: 1_000 });
      expect(events.filter(({ data }) => data.includes('"type":"receipt"'))).toHaveLength(1);
    }
    for (const worker of [...workers, idle]) await worker.kill('SIGTERM');
  });
});
