/**
 * Tests of agents with fixed dates that create the commit that another branch has already. It is theirs, on each route:
 * in a sandbox with its own git directory, on the host, in a kept sandbox, and in a batch.
 */
import { describe, expect } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import type { BatchResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRow } from '../matrix.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const DATES = 'export GIT_AUTHOR_DATE=1700000000+0000 GIT_COMMITTER_DATE=1700000000+0000';
const SAME = `${DATES}; ${commitLine('same.txt')}`;

/** The short form tries each case in one of the two places. */
function declareRoutes(row: number, makeSandbox: () => SandboxProvider): void {
  const test = matrixRow(row, { rows: 2 });

  test('counts a commit that another branch has, and one after it', async () => {
    const cwd = makeRepository();
    const base = git(cwd, 'rev-parse', 'HEAD');
    const on = (branch: string, script: string) =>
      run(runOptions(script, { cwd, sandbox: makeSandbox(), branchStrategy: { type: 'branch', branch } }));
    const first = await on('one', `${SAME}; ${commitLine('more.txt')}`);
    const second = await on('two', SAME);
    const third = await on('three', `${SAME}; ${commitLine('rest.txt')}`);
    const same = git(cwd, 'rev-parse', 'one~1');
    expect(first.commits.map(({ sha }) => sha)).toEqual([same, git(cwd, 'rev-parse', 'one')]);
    expect(second.commits).toEqual([{ sha: same }]);
    expect(third.commits.map(({ sha }) => sha)).toEqual([same, git(cwd, 'rev-parse', 'three')]);
    expect(git(cwd, 'rev-parse', 'two')).toBe(same);
    expect(git(cwd, 'rev-parse', 'main')).toBe(base);
  });

  test('does not count commits of another branch that the agent merges or checks out', async () => {
    const cwd = makeRepository();
    const on = (branch: string, script: string) =>
      run(runOptions(script, { cwd, sandbox: makeSandbox(), branchStrategy: { type: 'branch', branch } }));
    await on('one', `${SAME}; ${commitLine('more.txt')}`);
    const forwarded = await on('two', 'git merge -q --ff-only one');
    const merged = await on('three', `${commitLine('own.txt')}; git merge -q --no-edit one`);
    expect(forwarded.commits).toEqual([]);
    const own = git(cwd, 'rev-list', '--first-parent', '--reverse', 'main..three').split('\n');
    expect(merged.commits.map(({ sha }) => sha)).toEqual(own);
  });

  test('lands the same commit of two items of a batch', async () => {
    const cwd = makeRepository();
    const results: BatchResult[] = [];
    const onResult = (result: BatchResult): void => void results.push(result);
    git(cwd, 'branch', 'elsewhere');
    await run(runOptions(SAME, { cwd, branchStrategy: { type: 'branch', branch: 'elsewhere' } }));
    const options = {
      cwd,
      agent: command({ command: ['sh'] }),
      sandbox: makeSandbox(),
      inputs: [{ SCRIPT: SAME }, { SCRIPT: `${SAME}; ${commitLine('second.txt')}` }],
      prompt: '{{SCRIPT}}',
      branchStrategy: { type: 'merge-to-head' },
      concurrency: 1,
      onResult,
    } as const;
    await runBatch(options);
    const [first, second] = results.toSorted((one, other) => one.line - other.line);
    const same = git(cwd, 'rev-parse', 'elsewhere');
    expect(first).toMatchObject({ status: 'ok', merged: true, commits: [{ sha: same }] });
    expect(second).toMatchObject({ status: 'ok', merged: true });
    expect(git(cwd, 'ls-tree', '--name-only', 'main')).toContain('second.txt');
    expect(git(cwd, 'merge-base', '--is-ancestor', same, 'main')).toBe('');
  });

  test('counts it for the run of a kept sandbox that created it, and for no later one', async () => {
    const cwd = makeRepository();
    await run(runOptions(SAME, { cwd, branchStrategy: { type: 'branch', branch: 'one' } }));
    await using kept = await createSandbox({ cwd, sandbox: makeSandbox(), branch: 'two' });
    const shell = (script: string) =>
      kept.run({ agent: command({ command: ['sh', '-c', script] }), prompt: 'Work.' });
    const first = await shell(SAME);
    const second = await shell(commitLine('later.txt'));
    expect(first.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'one') }]);
    expect(second.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'two') }]);
  });
}

describeInBubblewrap('a sandbox with its own git directory', () => {
  declareRoutes(0, () => bubblewrap({ egress: 'none' }));
});

describe('without a sandbox', () => {
  declareRoutes(1, () => noSandbox());
});
