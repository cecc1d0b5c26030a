/** Tests of runs whose merge has a check, for each sandbox. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RepositoryError } from '../packages/core/src/errors/repository-error.ts';
import type { TreeCheck } from '../packages/truecast/src/git/command/tree-check.ts';
import type { SandboxProvider } from '../packages/truecast/src/ports/sandbox-provider.ts';
import { repositoryTemplate } from '../packages/truecast/src/git/test-template.ts';
import { run } from '../packages/truecast/src/run/run.ts';
import { type DeclareTest, matrixRow } from './matrix.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './run/fixture.ts';

/** A repository with the numbers `p` and `q`. */
export function makeNumbers(): string {
  const cwd = join(temporaryFolder(), 'repo');
  copyNumbers(cwd);
  return cwd;
}

const copyNumbers = repositoryTemplate((path) => {
  cpSync(makeRepository(), path, { recursive: true });
  for (const name of ['p', 'q']) writeFileSync(join(path, name), '0\n');
  git(path, 'add', '-A');
  git(path, 'commit', '-q', '-m', 'numbers');
});

/** Script that sets a number. One of them alone keeps the sum small, both do not. */
export const setTwo = (name: string): string => `echo 2 > ${name}; git commit -q -am ${name}`;

/** Refuses a sum of 3 or more. */
export const sumIsSmall: TreeCheck = async ({ exec }) => {
  const { exitCode } = await exec('test $(( $(cat p) + $(cat q) )) -lt 3');
  return exitCode === 0 ? undefined : 'p + q is 3 or more.';
};

/** Returns the numbers on a branch. */
export const numbersOn = (cwd: string, branch: string): string =>
  ['p', 'q'].map((name) => git(cwd, 'show', `${branch}:${name}`)).join('');

/** Declares them. In the short form, each of two rows tries one. */
export function declareCheckedMerges(sandbox: () => SandboxProvider, row?: number): void {
  const test: DeclareTest = row === undefined ? it : matrixRow(row, { rows: 2 });

  test('three runs at once, of which two are right alone and wrong together: one of these is kept', async () => {
    const cwd = makeNumbers();
    const scripts = [setTwo('p'), setTwo('q'), commitLine('readme.txt')];
    const branchStrategy = { type: 'merge-to-head', check: sumIsSmall } as const;
    const ended = await Promise.allSettled(
      scripts.map((script) => run(runOptions(script, { cwd, sandbox: sandbox(), branchStrategy }))),
    );
    const errors = ended.flatMap(({ status, ...end }) =>
      status === 'rejected' && 'reason' in end ? [end.reason as unknown] : [],
    );
    expect(errors).toMatchObject([
      { code: 'check-failed', message: expect.stringContaining('p + q is 3 or more.') as unknown },
    ]);
    const error = errors[0] as RepositoryError;
    expect(error.commits).toHaveLength(1);
    expect(git(cwd, 'rev-parse', error.branch ?? '')).toBe(error.commits?.[0]?.sha);
    const landed = numbersOn(cwd, 'main');
    expect(['20', '02']).toContain(landed);
    expect(numbersOn(cwd, error.branch ?? ''), 'each was right alone').toBe(landed === '20' ? '02' : '20');
    expect(readFileSync(join(cwd, 'readme.txt'), 'utf8')).toBe('work\n');
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(git(cwd, 'branch', '--format=%(refname:short)').split('\n')).toEqual(['main', error.branch]);
  });

  test('the check sees exactly the commit that lands, and what it writes is thrown away', async () => {
    const cwd = makeNumbers();
    const seen: string[] = [];
    const check: TreeCheck = async ({ exec, cwd: inside, worktreePath }) => {
      const { stdout } = await exec('pwd; git rev-parse HEAD; echo x > artifact; echo 9 > p');
      seen.push(...stdout.trim().split('\n'));
      expect(seen[0]).toBe(inside);
      expect(readFileSync(join(worktreePath, 'readme.txt'), 'utf8')).toBe('work\n');
      return undefined;
    };
    await run(
      runOptions(commitLine('readme.txt'), {
        cwd,
        sandbox: sandbox(),
        branchStrategy: { type: 'merge-to-head', check },
      }),
    );
    expect(seen[1]).toBe(git(cwd, 'rev-parse', 'main'));
    expect([git(cwd, 'status', '--porcelain'), numbersOn(cwd, 'main')]).toEqual(['', '00']);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
}
