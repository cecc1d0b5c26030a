/** References with hostile names and numbers: the host keeps the work under safe names. */
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository } from '../fixture.ts';
import { addWorktree, handOverFrom, storesOf } from './handed-over.ts';

const WORK =
  'set -e; echo w > work; git add work; git commit -q -m work; c=$(git commit-tree -m odd HEAD^{tree})';
/** Writes references as a guest can: git itself would refuse some of them. */
const packed = (names: readonly string[]): string =>
  `git pack-refs --all; cat >> "$(git rev-parse --git-dir)/packed-refs" <<'END'\n${names.map((name) => `ID ${name}`).join('\n')}\nEND
sed -i "s/^ID /$c /; /^#/d" "$(git rev-parse --git-dir)/packed-refs"`;
const SAFE = /^refs\/truecast\/recovered\/[0-9a-f]+\/[\w./-]+$/u;

function recoveredRefs(path: string): readonly string[] {
  return git(path, 'for-each-ref', '--format=%(refname)', 'refs/truecast')
    .split('\n')
    .filter((name) => name !== '');
}

describeInBubblewrap('a hand-over', () => {
  it('keeps references with odd names apart, under names that a shell takes literally', async () => {
    const path = makeRepository();
    const names = [
      'refs/heads/-d',
      'refs/heads/--upload-pack=x',
      'refs/heads/HEAD',
      'refs/heads/FETCH_HEAD',
      'refs/heads/refs/heads/main',
      'refs/heads/$(touch${IFS}x)',
      'refs/heads/`id`',
      'refs/heads/a;b',
      'refs/heads/a&b|c>d',
      `refs/heads/'q'`,
      'refs/heads/b\u202Ex',
      'refs/heads/main/below',
      'refs/tags/run',
      'refs/tags/main',
      'refs/bisect/bad',
      'refs/worktree/x',
      'refs/truecast/recovered/x',
    ];
    const before = git(path, 'for-each-ref', 'refs/heads/main', 'refs/tags');
    const worktree = addWorktree(path);
    const { recovered, warnings } = await handOverFrom(path, worktree, `${WORK}; ${packed(names)}`);
    expect(git(path, 'log', '-1', '--format=%s', 'refs/heads/run')).toBe('work');
    expect(git(path, 'for-each-ref', 'refs/heads/main', 'refs/tags')).toBe(before);
    expect(recovered.map(({ ref }) => ref).filter((ref) => !SAFE.test(ref))).toEqual([]);
    expect(recoveredRefs(path)).toEqual(recovered.map(({ ref }) => ref).toSorted());
    expect(recovered.length).toBeGreaterThan(12);
    for (const message of warnings) {
      for (const [, command = ''] of message.matchAll(/`(git [^`]*)`/gu)) {
        expect(command).toMatch(/^[\w ./-]+$/u);
      }
    }
    expect(git(path, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });

  it('keeps references whose names conflict as files and folders', async () => {
    const path = makeRepository();
    const worktree = addWorktree(path);
    const names = ['refs/heads/a', 'refs/heads/a/b', 'refs/heads/run/x', 'refs/heads/head'];
    const { recovered } = await handOverFrom(path, worktree, `${WORK}; ${packed(names)}`);
    expect(recovered.map(({ from }) => from).toSorted()).toEqual(names.toSorted());
    expect(recoveredRefs(path)).toHaveLength(4);
  });

  it("never describes another reference as the run's own commits", async () => {
    const path = makeRepository();
    const worktree = addWorktree(path);
    const names = ['refs/head', 'refs/heads/head', 'refs/head/x'];
    const script = `${WORK}; ${packed(names)}`;
    const own = await handOverFrom(path, worktree, script);
    expect(own.warnings.join('\n')).not.toContain('git stash');
    expect(own.recovered).toHaveLength(3);
    // With the branch moved on the host, the run's tip is kept too.
    const other = makeRepository();
    const moveBranch = (): void => {
      git(other, 'update-ref', 'refs/heads/run', git(other, 'commit-tree', '-m', 'mine', 'HEAD^{tree}'));
    };
    const { recovered, warnings } = await handOverFrom(other, addWorktree(other), script, moveBranch);
    const [work] = recovered;
    expect(git(other, 'log', '-1', '--format=%s', work?.ref ?? '')).toBe('work');
    expect(warnings.filter((message) => message.includes('git stash'))).toEqual([
      expect.stringContaining(`git merge ${work?.ref ?? ''};`),
    ]);
  });

  it('resolves symbolic references, and ignores one that leads nowhere', async () => {
    const path = makeRepository();
    const worktree = addWorktree(path);
    const script = `${WORK}; git branch other $c; git symbolic-ref refs/heads/sym refs/heads/other
git symbolic-ref refs/heads/none refs/heads/missing`;
    const { recovered } = await handOverFrom(path, worktree, script);
    expect(recovered.map(({ from }) => from)).toEqual(['refs/heads/other', 'refs/heads/sym']);
    expect(git(path, 'log', '-1', '--format=%s', 'refs/heads/run')).toBe('work');
  });

  it.each([
    ['a symbolic reference out of the store', `echo 'ref: ../../../../../etc/passwd' > $d/refs/heads/out`],
    ['a link out of the store', 'ln -s /etc/passwd $d/refs/heads/out'],
    ['a name that git refuses', 'echo $c > $d/refs/heads/out.'],
  ])('with %s takes the branch of the run alone, and keeps the store', async (_what, break_) => {
    const path = makeRepository();
    const script = `${WORK}; git branch other $c; d=$(git rev-parse --git-dir); ${break_}`;
    const { recovered, warnings } = await handOverFrom(path, addWorktree(path), script);
    expect(git(path, 'log', '-1', '--format=%s', 'refs/heads/run')).toBe('work');
    if (recovered.length === 0) expect(storesOf(path)).toHaveLength(1);
    else expect(recovered.map(({ from }) => from)).toEqual(['refs/heads/other']);
    expect(warnings.join('\n')).not.toContain('root:');
  });

  it('of hundreds of references keeps all of them, with a short warning', async () => {
    const path = makeRepository();
    const worktree = addWorktree(path);
    const names = Array.from({ length: 900 }, (_, index) => `refs/heads/n${String(index).padStart(4, '0')}`);
    const { recovered, warnings } = await handOverFrom(path, worktree, `${WORK}; ${packed(names)}`);
    expect(recovered).toHaveLength(900);
    expect(recoveredRefs(path)).toHaveLength(900);
    expect(warnings.length).toBeLessThan(20);
    expect(warnings.join('\n')).toContain('refs/heads/n0000');
  });

  it('of thousands of references takes the branch of the run alone, and keeps the store', async () => {
    const path = makeRepository();
    const worktree = addWorktree(path);
    const names = Array.from(
      { length: 3_000 },
      (_, index) => `refs/heads/n${String(index).padStart(4, '0')}`,
    );
    const { recovered, warnings } = await handOverFrom(path, worktree, `${WORK}; ${packed(names)}`);
    expect(recovered).toEqual([]);
    expect(git(path, 'log', '-1', '--format=%s', 'refs/heads/run')).toBe('work');
    expect(warnings.join('\n')).toContain('more than 1000 references');
    expect(storesOf(path)).toHaveLength(1);
  });
});
