/** Events and artifacts of ended runs: their deletion by a client and by age, on both databases, in counted rows. */
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { createChatMachine } from '../../state/chat-machine.ts';
import { listAudit } from '../../owners/audit-list.ts';
import { RUN_OWNER, runIn, testRuns, type TestRun, type TestRuns } from './test-runs.ts';

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
const bytes = Buffer.from('x');
const BLOBS = ['.state', 'log', 'session'].map((name) => ({ name, mediaType: 'text/plain', bytes }));
const TABLES = [
  'agent_runs',
  'agent_run_events',
  'agent_run_blobs',
  'agent_run_executions',
  'webhook_deliveries',
] as const;

describeOnBothStores('events and artifacts of an ended run', (open) => {
  /** Rows of each table. */
  async function rows(): Promise<readonly number[]> {
    const { db } = open();
    const counted = TABLES.map((table) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    );
    return (await Promise.all(counted)).map(({ count }) => count);
  }
  async function empty(): Promise<void> {
    for (const table of [...TABLES].reverse()) await open().db.deleteFrom(table).execute();
    await open().db.deleteFrom('audit_log').execute();
  }
  /** A run with three blobs that has ended. */
  async function ended(machine: TestRuns): Promise<TestRun> {
    const run = await runIn(machine, 'running');
    await machine.note(run.fence, { note: { blobs: BLOBS }, events: [{ type: 'text', text: 'Hi.' }] });
    await machine.endRun(run.fence, { status: 'succeeded', text: 'Done.', commits: ['c1'] });
    return run;
  }

  it('are deleted by their owner, and the receipt and the last event remain', async () => {
    await empty();
    const machine = testRuns(open());
    const { runId } = await ended(machine);
    const other = await ended(machine);
    const [runs = 0, events = 0, blobs = 0, executions = 0] = await rows();
    expect([runs, blobs, executions]).toEqual([2, 6, 2]);
    const owned = { owner: RUN_OWNER, runId };
    const before = await machine.readRun(owned);
    await expect(machine.deleteRun({ owner: 'foreign', runId, actor: 't' })).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await rows()).toEqual([runs, events, blobs, executions, 0]);
    machine.clock.nowMs += 1_000;
    await machine.deleteRun({ ...owned, actor: 'token:1' });
    expect(await rows()).toEqual([2, events / 2 + 1, 3, 2, 0]);
    const after = await machine.readRun(owned);
    expect(after).toEqual({ ...before, version: before.version + 1, clearedAt: machine.clock.nowMs });
    const [last] = await machine.listRunEvents({ runId, after: 0, limit: 10 });
    expect(last).toMatchObject({
      seq: before.eventCount,
      data: expect.stringContaining('"receipt"') as string,
    });
    expect(await machine.listArtifacts({ owner: RUN_OWNER, runId: other.runId })).toHaveLength(2);
    await machine.deleteRun({ ...owned, actor: 'token:1' });
    expect((await machine.readRun(owned)).clearedAt).toBe(after.clearedAt);
    expect(await listAudit(open().db, { limit: 10 })).toMatchObject([
      { action: 'run_deleted', actor: 'token:1', owner: RUN_OWNER, subject: runId },
    ]);
  });

  it('are removed by the sweep when they are older than the setting, and receipts are kept', async () => {
    await empty();
    const machine = testRuns(open());
    await ended(machine);
    machine.clock.nowMs += DAY_MS;
    const young = await ended(machine);
    const working = await runIn(machine, 'running');
    await machine.note(working.fence, { note: { blobs: BLOBS } });
    const [, events = 0] = await rows();
    const now = (): number => machine.clock.nowMs;
    const sweeper = (keepRunsMs?: number): (() => Promise<unknown>) =>
      createChatMachine({ store: open(), now, keepRunsMs }).sweep;
    machine.clock.nowMs += KEPT_MS - 1;
    await sweeper()();
    await sweeper(KEPT_MS + DAY_MS)();
    expect(await rows()).toEqual([3, events, 9, 3, 0]);
    const sweep = sweeper(KEPT_MS);
    await sweep();
    const kept = await machine.listRunEvents({ runId: young.runId, after: 0, limit: 10 });
    const started = await machine.listRunEvents({ runId: working.runId, after: 0, limit: 10 });
    expect(await rows()).toEqual([3, 1 + kept.length + started.length, 6, 3, 0]);
    await sweeper(KEPT_MS)();
    expect(await listAudit(open().db, { limit: 10 })).toMatchObject([
      { action: 'retention_run', detail: { cleared: 1 } },
    ]);
    machine.clock.nowMs += 2 * DAY_MS;
    await sweep();
    // The run that still works keeps its own.
    expect(await rows()).toEqual([3, 2 + started.length, 3, 3, 0]);
    await empty();
  });
});
