/** Facts of ended runs for the clean-up of a machine, on both databases, and the indexes that its query uses. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { RUN_OWNER, runIn, runRequest, testRuns } from './test-runs.ts';

const log = { name: 'log', mediaType: 'text/plain', bytes: Buffer.from('x') };

describeOnBothStores('runs for the clean-up of a machine', (open) => {
  it('have their age, their branches, and what is stored of them', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    const read = async () => (await machine.cleanableRuns([runId, 'missing'])).get(runId);
    expect(await read()).toMatchObject({ isEnded: false, ageMs: 0, hasLog: false, isFollowed: false });
    await machine.note(fence, { note: { pushedSha: 'a1', blobs: [{ ...log, omittedBytes: 1 }] } });
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.', earlierBranches: ['first'] });
    machine.clock.nowMs += 500;
    const ended = {
      id: runId,
      owner: RUN_OWNER,
      branches: [`truecast/runs/${runId}`, 'first'],
      isEnded: true,
      ageMs: 500,
      isFollowed: false,
      isCleared: false,
      hasLog: false,
      pushedSha: 'a1',
    };
    expect(await read()).toEqual(ended);
    await machine.deleteRun({ owner: RUN_OWNER, runId, actor: 'token:1' });
    expect(await read()).toEqual({ ...ended, isCleared: true });
    expect((await machine.cleanableRuns([])).size).toBe(0);
  });

  it('have a log if all of it is stored', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    await machine.note(fence, { note: { blobs: [log] } });
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
    expect((await machine.cleanableRuns([runId])).get(runId)?.hasLog).toBe(true);
  });

  it('are followed while a run of their branch, a retry, a continuation or a fork has not ended', async () => {
    const machine = testRuns(open());
    const { runId, fence } = await runIn(machine, 'running');
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.', earlierBranches: ['first'] });
    const isFollowed = async () => (await machine.cleanableRuns([runId])).get(runId)?.isFollowed;
    const branch = `truecast/runs/${runId}`;
    const create = (changes: Partial<Parameters<typeof machine.createRun>[0]>) =>
      machine.createRun({ owner: RUN_OWNER, request: runRequest(), ...changes });
    const followers = [
      { owner: 'another', branch },
      { branch: 'first' },
      ...(['retry', 'continue', 'fork'] as const).map((relation) => ({ parent: { id: runId, relation } })),
    ];
    for (const follower of followers) {
      const { id, owner } = await create(follower);
      expect(await isFollowed()).toBe(true);
      await machine.requestCancel({ owner, runId: id });
      expect(await isFollowed()).toBe(false);
    }
  });

  it('are read by indexes', async () => {
    const { db, dialect } = open();
    const branches = db
      .selectFrom('agent_runs')
      .select('id')
      .where('branch', '=', 'x')
      .where('ended_at', 'is', null);
    const lines = await db.transaction().execute(async (tx) => {
      // A small table would be read as a whole.
      if (dialect === 'postgres') await sql`set local enable_seqscan = off`.execute(tx);
      const { sql: text, parameters } = branches.compile();
      const plan = sql.raw(text.replace(/\?|\$\d/u, `'${String(parameters[0])}'`));
      const explain = dialect === 'postgres' ? sql`explain ` : sql`explain query plan `;
      return (await sql`${explain}${plan}`.execute(tx)).rows;
    });
    expect(JSON.stringify(lines)).toContain('agent_runs_open_branches');
  });
});
