/** Cleaning up after a landing: work that is on `main` is never reported as a failure. */
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

/** Puts a git on the PATH that never ends a command once a file is on `main`, as on a machine that is too busy. */
function stopAfter(file: string, cwd: string, command: string): void {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = temporaryFolder();
  const path = process.env['PATH'] ?? '';
  const hasLanded = `${real} --git-dir='${cwd}/.git' cat-file -e main:${file} 2>/dev/null`;
  const script = `#!/bin/sh
case " $* " in *" ${command} "*) if ${hasLanded}; then exec sleep 600; fi;; esac
exec ${real} "$@"
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  process.env['PATH'] = `${bin}${delimiter}${path}`;
  onTestFinished(() => {
    process.env['PATH'] = path;
  });
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
