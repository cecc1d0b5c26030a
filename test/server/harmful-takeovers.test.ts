/** Takeovers that harmed users of other runners, each by name: the worker is killed, and the next one goes on. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { itWhole } from '../matrix.ts';
import { git, temporaryFolder } from '../run/fixture.ts';
import { CLAUDE, makeRunWorld, type RunWorld, type RunWorldOptions } from './run-world.ts';

const { begin, commit, session, storeSession, say, answer } = CLAUDE;

async function makeWorld(
  script: readonly string[],
  options: Pick<RunWorldOptions, 'egress'> = {},
): Promise<RunWorld & AsyncDisposable> {
  const url = join(temporaryFolder(), 'store.sqlite');
  const store = await openStore({ url });
  const world = await makeRunWorld({ store, url, script, ...options });
  return { ...world, [Symbol.asyncDispose]: () => store.close() };
}

/** Waits to be killed, but not in a worktree in which it waited before. */
const WAITS = `[ -e waits ] || { : > waits; ${say('I wait.')}; sleep 600; }`;

/** Kills the worker when its agent says that it waits, and returns the run as the next one ends it. */
async function killAndContinue(world: RunWorld, runId: string, between: () => void = () => undefined) {
  const killed = await world.start();
  await world.said(runId, 'I wait.');
  await killed.kill();
  between();
  const next = await world.start();
  const run = await world.ended(runId);
  await next.kill();
  return run;
}

describeInBubblewrap('a takeover', () => {
  it('does not reset the tree under a live session', async () => {
    // The first answer is wrong. Its turn has ended, so its session is stored: it is killed in the second one.
    const script = [
      begin,
      session,
      storeSession,
      commit('half'),
      'echo draft > draft.txt',
      `[ -n "$again" ] || { ${answer('wrong')}; exit; }`,
      WAITS,
      'cat draft.txt > rest; rm -f waits draft.txt',
      'git add rest && git commit -q -m rest >&2',
      answer(42),
    ];
    await using world = await makeWorld(script);
    const runId = await world.create();
    const run = await killAndContinue(world, runId);
    expect(run).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
    expect(world.subjects(runId)).toEqual(['start', 'half', 'start again', 'start again', 'rest']);
    expect(git(world.cwd, 'show', `truecast/runs/${runId}:rest`)).toBe('draft');
  });

  itWhole('before the session is known starts a contained agent again, in the same tree', async () => {
    const script = [begin, commit('half'), WAITS, 'rm waits', session, commit('rest'), answer(42)];
    await using world = await makeWorld(script);
    const runId = await world.create();
    const run = await killAndContinue(world, runId);
    expect(run).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
    expect(world.subjects(runId)).toEqual(['start', 'half', 'start', 'rest']);
  });

  itWhole('before the session is known starts no agent again that can have called a service', async () => {
    const script = [begin, commit('half'), WAITS, answer(42)];
    await using world = await makeWorld(script, { egress: 'host' });
    const runId = await world.create();
    const run = await killAndContinue(world, runId);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'worker_lost', reason: 'no_session' } });
  });

  itWhole('does not do work again that is on disk', async () => {
    const script = [
      begin,
      '[ -e work.txt ] && cp work.txt kept.txt',
      `[ -e work.txt ] || { date +%s%N > work.txt; ${say('I wait.')}; sleep 600; }`,
      'git add work.txt kept.txt && git commit -q -m work >&2',
      answer(42),
    ];
    await using world = await makeWorld(script);
    const runId = await world.create();
    expect(await killAndContinue(world, runId)).toMatchObject({ status: 'succeeded' });
    const show = (file: string): string => git(world.cwd, 'show', `truecast/runs/${runId}:${file}`);
    expect(show('work.txt')).toBe(show('kept.txt'));
  });

  it('continues a session that has lost its directory, from its commits', async () => {
    const script = [
      begin,
      session,
      storeSession,
      commit('half'),
      `[ -n "$again" ] || { ${answer('wrong')}; exit; }`,
      // Its own commit says that it waited: the directory of its files is removed.
      `git log --format=%s | grep -q waited || { git commit -q --allow-empty -m waited >&2; ${say('I wait.')}; sleep 600; }`,
      commit('rest'),
      answer(42),
    ];
    await using world = await makeWorld(script);
    const runId = await world.create();
    const run = await killAndContinue(world, runId, () =>
      rmSync(join(world.cwd, '.truecast', 'worktrees'), { recursive: true }),
    );
    expect(run).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}', executions: 2 });
    const subjects = ['start', 'half', 'start again', 'waited', 'start again', 'rest'];
    expect(world.subjects(runId)).toEqual(subjects);
  });

  itWhole('at SIGTERM continues in the same session', async () => {
    const script = [
      begin,
      session,
      storeSession,
      commit('half'),
      `[ -n "$again" ] || { ${say('I wait.')}; sleep 600; }`,
      commit('rest'),
      answer(42),
    ];
    await using world = await makeWorld(script);
    const runId = await world.create();
    const leaving = await world.start();
    await world.said(runId, 'I wait.');
    await leaving.kill('SIGTERM');
    const next = await world.start();
    const run = await world.ended(runId);
    await next.kill();
    expect(run).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}', executions: 2 });
    expect(world.subjects(runId)).toEqual(['start', 'half', 'start again', 'rest']);
  });
});
