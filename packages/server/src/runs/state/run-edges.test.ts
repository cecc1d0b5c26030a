/** Rare moments of runs on both databases: rows of a newer version, an erasure during a commit, a cancellation after a departure, and blobs. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { forUpdate } from '@truecast/store/internal/locks';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { describeOnPostgres } from '../../../../../test/describe-on-both-stores.ts';
import { eraseRuns } from './owner-runs.ts';
import { createRunMachine } from './run-machine.ts';
import { OFFERS, RUN_OWNER, runIn, runRequest, testRuns } from './test-runs.ts';

const MIB: number = 1024 * 1024;

describeOnBothStores('rare moments of runs', (open) => {
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

  it('an error with the code of a newer version does not hide the list', async () => {
    const machine = testRuns(open());
    const { runId } = await runIn(machine, 'failed');
    const error = JSON.stringify({ code: 'push_rejected', message: 'Push it.', retry_at: 1 });
    await open().db.updateTable('agent_runs').set({ error }).where('id', '=', runId).execute();
    const { runs } = await machine.listRuns({ owner: RUN_OWNER, limit: 10 });
    expect(runs.map((run) => run.error)).toEqual([{ code: 'push_rejected', message: 'Push it.' }]);
  });

  it('the receipt of a run that is canceled after its worker left names the commits', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    await machine.leave(fence, { commits: ['c1', 'c2'], headSha: 'c2', baseSha: 'b0' });
    const run = await machine.requestCancel({ owner: RUN_OWNER, runId });
    expect(run).toMatchObject({ status: 'canceled', headSha: 'c2', result: { commits: ['c1', 'c2'] } });
  });

  it('the branch of a note is that of the next worker, which has nothing pushed yet', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    await machine.note(fence, { note: { branch: 'b', pushedSha: 'p1' } });
    await machine.note(fence, { note: { branch: 'b' } });
    expect(await machine.readRun({ owner: RUN_OWNER, runId })).toMatchObject({
      branch: 'b',
      pushedSha: 'p1',
    });
    await machine.note(fence, { note: { branch: 'b-2' } });
    await machine.leave(fence);
    const next = await machine.claimNext({ worker: 'w2', offers: OFFERS });
    expect(next?.claimed.branch).toBe('b-2');
    expect(next?.claimed.earlier).not.toHaveProperty('pushedSha');
  });

  it('the usage of a note is an event, once', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    const first = {
      input_tokens: 40,
      output_tokens: 2,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const second = { ...first, output_tokens: 9 };
    for (const usage of [first, first, second]) await machine.note(fence, { note: { usage } });
    await machine.note(fence, { note: { phase: 'answered', usage: second } });
    const events = await machine.listRunEvents({ runId, after: 0, limit: 100 });
    const parsed = events.map(({ data }) => JSON.parse(data) as { type: string; usage?: unknown });
    expect(parsed.flatMap(({ type, usage }) => (type === 'usage' ? [usage] : []))).toEqual([first, second]);
  });

  it('a landed answer is an accepted one, and the end shows its status before the last events', async () => {
    const machine = testRuns(open());
    const first = await runIn(machine, 'running');
    await machine.note(first.fence, { note: { phase: 'settled' } });
    const owned = { owner: RUN_OWNER, runId: first.runId };
    expect(await machine.readRun(owned)).toMatchObject({ status: 'running', phase: 'settled' });
    await expect(machine.requestCancel(owned)).rejects.toMatchObject({ code: 'not-allowed' });
    await machine.endRun(first.fence, { status: 'succeeded', text: 'Done.' });
    const { runId, fence } = await runIn(machine, 'answered');
    const last = { note: { phase: 'settled' }, events: [{ type: 'commit', sha: 'c1' }] } as const;
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' }, last);
    const events = await machine.listRunEvents({ runId, after: 0, limit: 100 });
    const shown = events.map(({ data }) => {
      const { type, status, phase } = JSON.parse(data) as Record<string, string>;
      return [type, status, phase].filter((part) => part !== undefined).join(' ');
    });
    expect(shown.slice(-4)).toEqual(['status running settled', 'commit', 'status succeeded', 'receipt']);
  });

  it('an owner hears of each new state of its runs, and not of the text of an agent', async () => {
    const machine = testRuns(open());
    const heard: (string | undefined)[] = [];
    const stop = machine.onOwnersRuns(RUN_OWNER, (runId) => heard.push(runId));
    const foreign: (string | undefined)[] = [];
    const stopForeign = machine.onOwnersRuns('owner-2', (runId) => foreign.push(runId));
    const { runId, fence } = await runIn(machine, 'running');
    for (const text of ['a', 'b']) await machine.note(fence, { events: [{ type: 'text', text }] });
    await machine.note(fence, { note: { phase: 'working' } });
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
    const { runId: last } = await runIn(machine, 'queued');
    await expect.poll(() => heard.at(-1)).toBe(last);
    stop();
    stopForeign();
    // Queued, preparing, working, succeeded.
    // A notification of an earlier test can arrive late.
    expect(heard.filter((id) => id === runId)).toHaveLength(4);
    expect(foreign).toEqual([]);
  });

  it('reads the changed runs of an owner, and those that can change without a notification', async () => {
    const machine = testRuns(open());
    const ended = await runIn(machine, 'failed');
    const left = await runIn(machine, 'running');
    await machine.leave(left.fence, {});
    const held = await machine.claimNext({ worker: 'w2', offers: OFFERS });
    machine.clock.nowMs += 1_000;
    const since = machine.clock.nowMs;
    const read = async (query: object): Promise<readonly string[] | undefined> =>
      (await machine.changedRuns({ owner: RUN_OWNER, since, limit: 9, ...query }))?.map(({ id }) => id);
    expect(held?.claimed.id).toBe(left.runId);
    expect(await read({})).toEqual([left.runId]);
    expect(await read({ since: since - 1_000 })).toHaveLength(2);
    expect(await read({ runIds: [ended.runId] })).toEqual([ended.runId]);
    expect(await read({ owner: 'owner-2', runIds: [ended.runId] })).toEqual([]);
    expect(await read({ since: 0, limit: 1 })).toBeUndefined();
  });

  it('more events than one statement can insert are stored in one change', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    const before = (await machine.readRun({ owner: RUN_OWNER, runId })).eventCount;
    const events = Array.from(
      { length: 12_000 },
      (_each, at) => ({ type: 'commit', sha: `c${at}` }) as const,
    );
    await machine.note(fence, { events });
    // One more: the warning that the limit is reached.
    const stored = await machine.listRunEvents({ runId, after: before + 12_000, limit: 10 });
    expect(stored.map(({ data }) => data)).toEqual([expect.stringContaining('"sha":"c11999"')]);
  });

  it('a blob is stored in parts, replaced as a whole, and read by its owner only', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    const owned = { owner: RUN_OWNER, runId };
    const bytes = Uint8Array.from({ length: 2.5 * MIB }, (_byte, at) => at % 251);
    const log = { name: 'log', mediaType: 'text/plain' };
    await machine.note(fence, { note: { blobs: [{ ...log, bytes }] } });
    expect(Buffer.compare((await machine.readBlob({ ...owned, name: 'log' })).bytes, bytes)).toBe(0);
    await machine.note(fence, { note: { blobs: [{ ...log, bytes: bytes.subarray(0, 3) }] } });
    expect([...(await machine.readBlob({ ...owned, name: 'log' })).bytes]).toEqual([0, 1, 2]);
    const empty = { ...log, name: 'session', bytes: new Uint8Array(), omittedBytes: 7 };
    await machine.note(fence, { note: { blobs: [empty, { ...log, name: '.state', bytes }] } });
    expect(await machine.listArtifacts(owned)).toEqual([
      { ...log, size: 3, omittedBytes: 0 },
      { ...log, name: 'session', size: 0, omittedBytes: 7 },
    ]);
    for (const other of [
      { owner: 'foreign', runId, name: 'log' },
      { ...owned, name: 'patch' },
    ]) {
      await expect(machine.readBlob(other)).rejects.toMatchObject({ code: 'not-found' });
    }
  });

  it('a session over the limit is left out with a warning, and the rest of the note is stored', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    const session = { name: 'session', mediaType: 'application/jsonl', bytes: new Uint8Array(40 * MIB) };
    await machine.note(fence, { note: { sessionId: 's1', blobs: [session] } });
    const owned = { owner: RUN_OWNER, runId };
    expect(await machine.listArtifacts(owned)).toEqual([]);
    expect(await machine.readRun(owned)).toMatchObject({ sessionId: 's1', status: 'running' });
    const events = await machine.listRunEvents({ runId, after: 0, limit: 100 });
    expect(events.at(-1)?.data).toContain('`session` has 41943040 bytes and was not stored');
  });

  it('an erasure while a blob is stored leaves none, and the next note of the worker is refused', async () => {
    const machine = testRuns(open());
    const { fence } = await runIn(machine, 'running');
    const blobs = [{ name: 'session', mediaType: 'application/jsonl', bytes: new Uint8Array(8 * MIB) }];
    const stores = Array.from({ length: 4 }, () => machine.note(fence, { note: { blobs } }));
    const [erased, ...stored] = await Promise.allSettled([eraseRuns(open(), RUN_OWNER), ...stores]);
    expect(erased).toMatchObject({ status: 'fulfilled', value: 1 });
    const reasons = stored.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'not-found' });
    await expect(machine.note(fence, { note: { blobs } })).rejects.toMatchObject({ code: 'not-found' });
    expect(await open().db.selectFrom('agent_run_blobs').select('name').execute()).toEqual([]);
  });

  it('an erasure waits for the events that a worker is storing', async () => {
    const machine = testRuns(open());
    const { runId } = await runIn(machine, 'running');
    const isLocked = Promise.withResolvers<void>();
    // Outside of the transaction below.
    const erased = isLocked.promise.then(() => eraseRuns(open(), RUN_OWNER));
    await open().transaction(async (tx) => {
      const run = tx.db.selectFrom('agent_runs').select('id').where('id', '=', runId);
      assert(await forUpdate(tx, run).executeTakeFirst());
      isLocked.resolve();
      await sleep(200);
      await tx.db.insertInto('agent_run_events').values({ run_id: runId, seq: 99, data: '{}' }).execute();
    });
    expect(await erased).toBe(1);
  });
});

describeOnPostgres('the time of a run over two machines', ({ open }) => {
  afterEach(() => vi.restoreAllMocks());

  it('does not depend on the difference of their clocks', async () => {
    const store = await open();
    const machine = createRunMachine({ store });
    await machine.createRun({ owner: RUN_OWNER, request: runRequest() });
    const first = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    assert(first);
    await machine.leave(first.fence);
    const realNow = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 86_400_000);
    // The other machine has its own clock.
    const other = createRunMachine({ store });
    const second = await other.claimNext({ worker: 'w2', offers: OFFERS });
    assert(second);
    expect(second.claimed.execution).toBe(2);
    expect(second.claimed.elapsedMs).toBeLessThan(86_400_000);
  });
});
