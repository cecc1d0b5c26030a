/** Tests of runs with an id: killed between any two steps, executed again, and executed at once. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunCheckpoint } from '../../packages/truecast/src/run/events/run-checkpoint.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { FORM } from '../matrix.ts';
import {
  answerOutput,
  commitLine,
  git,
  isRunning,
  makeRepository,
  PRINT_ANSWER,
  runOptions,
  temporaryFolder,
} from './fixture.ts';
import { makeWorld, subjects } from './repeating-world.ts';

/** Each step of a run is stored by one write. */
const WRITES = 8;
const ALL_KILLS = Array.from({ length: WRITES }, (_none, index) => index + 1).flatMap((write) =>
  (['before', 'after'] as const).map((when) => ({ write, when })),
);
/**
 * The short form: before a session is known, around the answer, and after the landing. Other tests here kill before
 * the writes 5 and 8.
 */
const SHORT: readonly string[] = ['after 3', 'before 6', 'after 6', 'after 7'];
const KILLS = ALL_KILLS.filter(({ when, write }) => FORM === 'whole' || SHORT.includes(`${when} ${write}`));
/** The write after which no agent may start. */
const ANSWERED = 6;

describe('a run with an id', () => {
  it('returns the stored result to a second call, and starts no agent', async () => {
    const { cwd, starts, execute } = makeWorld();
    const first = await execute();
    const second = await execute();
    expect(first).toMatchObject({ answer: '#42', branch: 'main', writes: WRITES });
    expect(first?.commits).toHaveLength(2);
    expect(second).toEqual({ ...first, writes: 0 });
    expect(starts()).toEqual(['start']);
    expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
  });

  it.each(KILLS)('lands once when it is killed $when write $write', async (kill) => {
    const { cwd, starts, execute } = makeWorld();
    const since = git(cwd, 'rev-parse', 'main');
    expect(await execute({ kill })).toBeUndefined();
    const result = await execute({ onInterruption: 'restart' });
    expect(result).toMatchObject({ answer: '#42', branch: 'main', commitsSince: since });
    expect(result?.commits?.map(({ sha }) => sha)).toEqual(
      git(cwd, 'rev-list', '--reverse', `${since}..main`).split('\n'),
    );
    expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
    const isAnswered = kill.write > ANSWERED || (kill.write === ANSWERED && kill.when === 'after');
    expect(starts().length).toBeLessThanOrEqual(isAnswered ? 1 : 2);
  });

  it.each(['default', 'merge-to-head'])(
    'does not land twice on a branch that moved (%s)',
    async (strategy) => {
      const { cwd, starts, execute } = makeWorld();
      expect(await execute({ strategy, kill: { write: WRITES, when: 'before' } })).toBeUndefined();
      git(cwd, 'commit', '-q', '--allow-empty', '-m', 'of a person');
      const result = await execute({ strategy });
      expect(result?.commits).toHaveLength(2);
      const merged = strategy === 'default' ? [] : ['b.txt', 'c.txt'];
      expect(subjects(cwd)).toEqual(['begin', ...merged, 'of a person']);
      expect(subjects(cwd, result?.branch).slice(0, 3)).toEqual(['begin', 'b.txt', 'c.txt']);
      expect(starts()).toEqual(['start']);
    },
  );

  it('resumes the session of an agent that it stops first, in the same worktree', async () => {
    const stays = 'echo $$ > ../pid.part; mv ../pid.part ../pid; while :; do sleep 0.05; done';
    const record = join(temporaryFolder(), 'run.jsonl');
    const { cwd, starts, execute, killAt } = makeWorld({
      between: `[ -n "$RESUMED" ] || { ${stays}; }`,
      host: { record },
    });
    const pidFile = join(cwd, '.truecast', 'worktrees', 'pid');
    await killAt(pidFile);
    const pid = readFileSync(pidFile, 'utf8').trim();
    const recorded = readFileSync(record, 'utf8');
    expect(isRunning(pid)).toBe(true);
    const result = await execute();
    expect(isRunning(pid)).toBe(false);
    expect(result).toMatchObject({ answer: '#42' });
    expect(result?.warnings?.join('\n')).toContain('An agent of a killed run still worked here');
    expect(starts()).toEqual(['start', 'start s1']);
    expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
    // Each execution has its own recording.
    expect(readFileSync(record, 'utf8')).toBe(recorded);
    expect(readFileSync(record.replace('run.', 'run.2.'), 'utf8')).toContain('"endedBy":"itself"');
  });

  it.each(['before', 'after'] as const)(
    'starts no agent without a record and its whole prompt (%s)',
    async (when) => {
      const log = join(temporaryFolder(), 'prompts');
      const { cwd, execute } = makeWorld({
        begin: `head -n 1 >> ${log}; echo end >> ${log}\necho SESSION s1`,
      });
      expect(await execute({ kill: { write: 'agent', when } })).toBeUndefined();
      expect(await execute({ onInterruption: 'restart' })).toMatchObject({ answer: '#42' });
      expect(readFileSync(log, 'utf8')).toBe('Answer in <result>.\nend\n');
      expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
    },
  );

  it('removes the locks of a git that was killed with the agent', async () => {
    const locks =
      '"$dir/index.lock" "$dir/HEAD.lock" "$(git rev-parse --git-common-dir)/$(git symbolic-ref HEAD).lock"';
    const stays = `dir=$(git rev-parse --absolute-git-dir); touch ${locks}; : > ../waits; sleep 600`;
    const { cwd, execute, killAt } = makeWorld({ between: `[ -n "$RESUMED" ] || { ${stays}; }` });
    await killAt(join(cwd, '.truecast', 'worktrees', 'waits'));
    expect(await execute()).toMatchObject({ answer: '#42' });
    expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
  });

  it('names a lock that must stay before an agent works', async () => {
    const { cwd, starts, execute } = makeWorld();
    expect(await execute({ kill: { write: 5, when: 'before' } })).toBeUndefined();
    const worktree = git(cwd, 'worktree', 'list', '--porcelain').split('worktree ')[2]?.split('\n')[0] ?? '';
    // No git makes a folder. Without a list of processes, each lock must stay.
    const lock = join(git(worktree, 'rev-parse', '--absolute-git-dir'), 'index.lock');
    mkdirSync(lock);
    expect(await execute()).toMatchObject({ code: 'locked', error: expect.stringContaining(lock) });
    expect(starts()).toEqual(['start']);
    rmdirSync(lock);
    expect(await execute()).toMatchObject({ answer: '#42' });
  });

  it('stops the agent of a killed run before another run uses its branch', async () => {
    const stays = 'echo $$ > ../pid.part; mv ../pid.part ../pid; sleep 3; echo late > late.txt; sleep 60';
    const { cwd, execute, killAt } = makeWorld({ between: `[ -e ../pid ] || { ${stays}; }` });
    const pidFile = join(cwd, '.truecast', 'worktrees', 'pid');
    await killAt(pidFile);
    const branch = git(cwd, 'branch', '--list', 'truecast/*', '--format=%(refname:short)');
    const result = await execute({ id: undefined, strategy: branch, sessions: undefined });
    expect(isRunning(readFileSync(pidFile, 'utf8').trim())).toBe(false);
    expect(result?.commits).toHaveLength(1);
    expect(subjects(cwd, branch)).toEqual(['begin', 'b.txt', 'c.txt']);
    expect(existsSync(join(cwd, '.truecast', 'worktrees', 'late.txt'))).toBe(false);
  });

  it('refuses to start an agent without a session again, unless the caller accepts it', async () => {
    const { starts, execute } = makeWorld();
    const none = { sessions: undefined };
    await execute({ ...none, kill: { write: 5, when: 'before' } });
    expect(await execute(none)).toMatchObject({ code: 'not-repeatable' });
    expect(starts()).toHaveLength(1);
    expect(await execute({ ...none, onInterruption: 'restart' })).toMatchObject({ answer: '#42' });
    expect(starts()).toHaveLength(2);
  });

  it('refuses other options, and names them', async () => {
    const { execute } = makeWorld();
    await execute({ kill: { write: 2, when: 'after' } });
    const refused = await execute({ strategy: 'default' });
    expect(refused).toMatchObject({
      code: 'not-repeatable',
      error: expect.stringContaining('`branchStrategy`'),
    });
  });

  it('refuses an id that another execution holds', async () => {
    const world = makeWorld({
      between: '[ -e ../go ] || { : > ../waits; while [ ! -e ../go ]; do sleep 0.05; done; }',
    });
    const folder = join(world.cwd, '.truecast', 'worktrees');
    const running = world.execute({ isApart: true });
    await expect.poll(() => existsSync(join(folder, 'waits')), { timeout: 20_000 }).toBe(true);
    const refused = await world.execute();
    writeFileSync(join(folder, 'go'), '');
    expect(refused).toMatchObject({ code: 'locked', error: expect.stringContaining('The run `job 1/ü`') });
    expect(await running).toMatchObject({ answer: '#42' });
    expect(world.starts()).toHaveLength(1);
  });
});

it('reports each stored step, continues after a listener that throws, and returns the same result again', async () => {
  const options = {
    ...runOptions(`${commitLine('b.txt')}; ${PRINT_ANSWER}`, {
      cwd: makeRepository(),
      branchStrategy: { type: 'merge-to-head' },
      id: 'job',
    }),
    output: answerOutput,
  };
  const seen: RunCheckpoint[] = [];
  const onCheckpoint = (checkpoint: RunCheckpoint): void => {
    seen.push(checkpoint);
    if (checkpoint.type === 'turn') throw new Error('no disk');
  };
  const first = await run({ ...options, onCheckpoint });
  expect(seen.map(({ type, execution }) => [type, execution])).toEqual([
    ['started', 1],
    ['turn', 1],
    ['answered', 1],
    ['landed', 1],
  ]);
  expect(new Set(seen.map(({ commitsSince }) => commitsSince))).toEqual(new Set([first.commitsSince]));
  expect(first.warnings).toEqual([expect.stringContaining('`onCheckpoint` threw an error')]);
  const again = await run({ ...options, onCheckpoint });
  expect(seen).toHaveLength(4);
  const { output, commits, branch, commitsSince, warnings } = first;
  expect(again).toMatchObject({ output, commits, branch, commitsSince, warnings });
});
