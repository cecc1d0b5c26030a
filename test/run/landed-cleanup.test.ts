/** Cleaning up after a landing: work that is on `main` is never reported as a failure. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';
import { replaceGitAfterLanding } from './git-after-landing.ts';

/** As on a machine that is too busy: one command of git never ends after the landing. */
function stopAfter(file: string, cwd: string, command: string): void {
  replaceGitAfterLanding({ cwd, file, commands: [command], instead: 'exec sleep 600' });
}

it('a worktree that cannot be read in time is a warning of a run that has landed', async () => {
  const cwd = makeRepository();
  stopAfter('a.txt', cwd, 'status');
  const result = await run(
    runOptions(commitLine('a.txt'), {
      cwd,
      branchStrategy: { type: 'merge-to-head' },
      timeouts: { gitSetupMs: 4_000 },
    }),
  );
  expect(git(cwd, 'show', 'main:a.txt')).toBe('work');
  expect(result).toMatchObject({ branch: 'main', commits: [{ sha: expect.any(String) as unknown }] });
  expect(result.warnings).toEqual([
    expect.stringMatching(/has landed, but .*truecast clean.*`git status` to exit within 4000 ms/u),
  ]);
});

it('a branch that cannot be deleted in time is a warning of a merge that has landed', async () => {
  const cwd = makeRepository();
  git(cwd, 'switch', '-q', '-c', 'feature');
  execFileSync('sh', ['-c', commitLine('a.txt')], { cwd });
  git(cwd, 'switch', '-q', 'main');
  stopAfter('a.txt', cwd, 'update-ref -d');
  const warnings: string[] = [];
  const result = await merge('feature', {
    cwd,
    deleteBranch: true,
    timeouts: { mergeToHostMs: 4_000 },
    onWarning: (warning) => void warnings.push(warning),
  });
  expect(result).toMatchObject({ isMerged: true, into: 'main' });
  expect(warnings).toEqual([expect.stringMatching(/has landed, but `feature` was not deleted\. .*4000 ms/u)]);
});
