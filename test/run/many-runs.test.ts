/**
 * Runs many agents on one repository in parallel, and kills their hosts. No merge is lost, and the
 * next run finds a clean repository.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa, execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM, matrixRuns } from '../matrix.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const merge = { type: 'merge-to-head' } as const;
const RUNNING_HOST = await bundledHost(new URL('running-host.ts', import.meta.url));

/**
 * From before the worktree exists to after the merge. The short form tries each third one: `repeated-runs` kills
 * around each step.
 */
const KILL_TIMES = [60, 150, 220, 300, 400, 550, 800].filter(
  (_time, index) => FORM === 'whole' || index % 3 === 0,
);

/** Each of them waits for the merges of all others. */
const RUNS = matrixRuns(10, 20);

describe(`${RUNS} runs at once`, () => {
  it(`are ${RUNS} merges`, async () => {
    const cwd = makeRepository();
    const names = Array.from({ length: RUNS }, (_, index) => `file-${index}`);
    const timeouts = { gitSetupMs: 120_000, mergeToHostMs: 120_000, commitCollectionMs: 120_000 };
    const results = await Promise.all(
      names.map((name) => run(runOptions(commitLine(name), { cwd, branchStrategy: merge, timeouts }))),
    );
    const own = results.map(({ commits }) => commits.map(({ sha }) => sha));
    expect(own.every((shas) => shas.length === 1)).toBe(true);
    expect(new Set(own.flat()).size).toBe(RUNS);
    expect(git(cwd, 'ls-files').split('\n')).toEqual(['a.txt', ...names].toSorted());
    expect(git(cwd, 'status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(git(cwd, 'fsck', '--strict', '--no-dangling')).toBe('');
    expect(git(cwd, 'branch', '--list', 'truecast/*')).toBe('');
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
    const landed = git(cwd, 'rev-list', 'main').split('\n');
    expect(landed).toEqual(expect.arrayContaining(own.flat()));
  });
});

describe('a host that is killed', () => {
  it.each(KILL_TIMES)('after %i ms leaves a repository in which the next run works', async (killAfterMs) => {
    const cwd = makeRepository();
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const script = join(folder, 'script');
    writeFileSync(script, `${commitLine('one')}; sleep 0.1; ${commitLine('two')}`);
    const host = execa(process.execPath, [RUNNING_HOST, cwd, script, 'none'], { reject: false });
    await delay(killAfterMs);
    host.kill('SIGKILL');
    await host;
    const next = await run(runOptions(commitLine('next'), { cwd, branchStrategy: merge }));
    expect(next.commits).toHaveLength(1);
    expect(git(cwd, 'ls-files').split('\n')).toEqual(expect.arrayContaining(['a.txt', 'next']));
    expect(git(cwd, 'fsck', '--strict', '--no-dangling')).toBe('');
    expect(existsSync(join(cwd, '.git', 'MERGE_HEAD'))).toBe(false);
  });
});

describeInBubblewrap('a host that is killed', () => {
  it('leaves no guest running', async () => {
    const cwd = makeRepository();
    const script = join(temporaryFolder(), 'script');
    const marker = `guest-${process.pid}`;
    writeFileSync(script, `echo started > started; exec sh -c 'sleep 300; echo ${marker}'`);
    const host = execa(process.execPath, [RUNNING_HOST, cwd, script, 'bubblewrap'], { reject: false });
    const worktrees = join(cwd, '.truecast', 'worktrees');
    await expect
      .poll(
        () =>
          existsSync(worktrees) &&
          readdirSync(worktrees).some((name) => existsSync(join(worktrees, name, 'started'))),
        { timeout: 240_000 },
      )
      .toBe(true);
    expect(processesWith(marker)).not.toBe('');
    host.kill('SIGKILL');
    await host;
    await expect.poll(() => processesWith(marker), { timeout: 10_000 }).toBe('');
  });
});

function processesWith(marker: string): string {
  return execaSync('pgrep', ['-f', `echo ${marker}`], { reject: false }).stdout;
}
