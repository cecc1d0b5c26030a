/** Runs in repositories of every kind: the same work has the same result, and no program of git's. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { matrixColumns } from '../../matrix.ts';
import { git, runOptions, temporaryFolder } from '../fixture.ts';
import { GIT_VARIANTS, isSupported } from './git-variants.ts';

const WORK = `set -e
test -z "$(git status --porcelain)"
git log --oneline >/dev/null
echo more >> in/b.txt; echo new > new.txt; git add -A; git commit -q -m work
echo staged > staged.txt; git add staged.txt; echo untracked > untracked.txt`;
/** The short form tries each in one of the two ways to work. */
const KINDS = GIT_VARIANTS.filter(isSupported);

/** Git inside cannot fetch what a partial clone lacks. */
function warningsFor(title: string): readonly unknown[] {
  return title.includes('partial clone') ? [expect.stringMatching(/^partial clone: /u)] : [];
}

describeInBubblewrap('a repository with', () => {
  it.each(matrixColumns(0, KINDS, { rows: 2 }))(
    '$title gets the commit merged',
    async ({ title, create }) => {
      const cwd = create(temporaryFolder());
      const before = git(cwd, 'rev-parse', 'HEAD');
      const work = `${WORK}\ngit rm -q --cached staged.txt; rm staged.txt untracked.txt`;
      const { commits, warnings } = await run(
        runOptions(work, {
          cwd,
          sandbox: bubblewrap({ egress: 'none' }),
          branchStrategy: { type: 'merge-to-head' },
        }),
      );
      expect(warnings).toEqual(warningsFor(title));
      expect(commits).toHaveLength(1);
      expect(git(cwd, 'log', '-1', '--format=%s %P')).toBe(`work ${before}`);
      expect(readFileSync(join(cwd, 'in/b.txt'), 'utf8')).toBe('in/b.txt\nmore\n');
      expect(git(cwd, 'status', '--porcelain')).toBe('');
      expect(git(cwd, 'for-each-ref', '--format=%(refname)', 'refs/heads/truecast', 'refs/truecast')).toBe(
        '',
      );
      expect(git(cwd, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
    },
  );

  it.each(matrixColumns(1, KINDS, { rows: 2 }))(
    '$title gets what was staged in its checkout',
    async ({ title, create }) => {
      const cwd = create(temporaryFolder());
      const { warnings } = await run(
        runOptions(WORK, { cwd, sandbox: bubblewrap({ egress: 'none' }), branchStrategy: { type: 'head' } }),
      );
      expect(warnings).toEqual(warningsFor(title));
      expect(git(cwd, 'log', '-1', '--format=%s')).toBe('work');
      expect(git(cwd, 'status', '--porcelain')).toBe('A  staged.txt\n?? untracked.txt');
      expect(existsSync(join(cwd, 'out/c.txt'))).toBe(existsSync(join(cwd, 'out')));
      expect(git(cwd, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
    },
  );
});
