/** `merge()` on real repositories: what lands is what was reviewed and checked. */
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import type { MergeOptions, MergeResult } from '../../packages/truecast/src/run/options/merge-options.ts';
import { branchLockKey } from '../../packages/truecast/src/git/command/branch-name.ts';
import { acquireLock } from '../../packages/truecast/src/git/command/lock.ts';
import { cleanUp, commit, newRepository, plainGit } from '../../packages/truecast/src/git/test-repository.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRow, matrixRuns } from '../matrix.ts';

afterEach(cleanUp);

/** Creates a branch with one commit from the current HEAD. */
function branch(path: string, name: string, file: string, content: string): string {
  plainGit(path, 'checkout', '--quiet', '-b', name);
  const sha = commit(path, file, content);
  plainGit(path, 'checkout', '--quiet', 'main');
  return sha;
}

const head = (path: string, ref = 'HEAD'): string => plainGit(path, 'rev-parse', ref);
const branches = (path: string): string[] =>
  plainGit(path, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');

/** The sum of the numbers in `p` and `q` must stay below 3: each of two branches alone keeps it. */
const sumIsSmall = (sandbox: MergeOptions['sandbox']): MergeOptions => ({
  ...(sandbox !== undefined && { sandbox }),
  async check({ exec }) {
    const { exitCode } = await exec('test $(( $(cat p) + $(cat q) )) -lt 3');
    return exitCode === 0 ? undefined : 'p + q is 3 or more.';
  },
});

function twoGreenOneRed(): string {
  const path = newRepository();
  commit(path, 'p', '0');
  commit(path, 'q', '0');
  branch(path, 'fix/p', 'p', '2');
  branch(path, 'fix/q', 'q', '2');
  return path;
}

/** What holds in each sandbox. */
function declareChecks(sandbox: () => SandboxProvider, row: number): void {
  const it = matrixRow(row, { rows: 2 });
  it('two branches that are right alone and wrong together: the second is refused and kept', async () => {
    const path = twoGreenOneRed();
    const q = head(path, 'fix/q');
    const { merged, kept } = await merge(['fix/p', 'fix/q'], { cwd: path, ...sumIsSmall(sandbox()) });
    expect(merged).toMatchObject([
      { branch: 'fix/p', into: 'main', isMerged: true, check: { verdict: 'passed' } },
    ]);
    expect(kept).toMatchObject([{ branch: 'fix/q', error: { code: 'check-failed', branch: 'fix/q' } }]);
    expect(kept[0]?.error.message).toContain('p + q is 3 or more.');
    expect([readFileSync(join(path, 'p'), 'utf8'), readFileSync(join(path, 'q'), 'utf8')]).toEqual([
      '2',
      '0',
    ]);
    expect([head(path), plainGit(path, 'status', '--porcelain')]).toEqual([merged[0]?.sha, '']);
    expect(head(path, 'fix/q')).toBe(q);
  });

  it('checks exactly the commit that lands, without files that the check writes', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'b');
    commit(path, 'c.txt', 'c');
    let seen = '';
    const result = await merge('fix', {
      cwd: path,
      sandbox: sandbox(),
      async check({ exec }) {
        seen = (await exec('git rev-parse HEAD && ls && touch artifact && echo x > b.txt')).stdout;
        return undefined;
      },
    });
    expect(seen.split('\n').slice(0, 4)).toEqual([head(path), 'a.txt', 'b.txt', 'c.txt']);
    expect(result).toMatchObject({ sha: head(path), isMerged: true, check: { commit: head(path) } });
    expect(readdirSync(path).toSorted()).toEqual(['.git', '.truecast', 'a.txt', 'b.txt', 'c.txt']);
    expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('b');
    expect(plainGit(path, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
}

describe('without a sandbox', () => declareChecks(noSandbox, 0));
describeInBubblewrap('in bubblewrap', () => declareChecks(bubblewrap, 1));

describe('the landed commit', () => {
  it('is the tip if the target did not move', async () => {
    const path = newRepository();
    const sha = branch(path, 'fix', 'b.txt', 'b');
    expect(await merge('fix', { cwd: path })).toEqual({
      branch: 'fix',
      into: 'main',
      sha,
      isMerged: true,
      commits: [{ sha }],
      sensitiveChanges: [],
    });
    expect([head(path), existsSync(join(path, 'b.txt'))]).toEqual([sha, true]);
  });

  it('is a merge commit with the message of git, or the given one', async () => {
    const path = newRepository();
    for (const [name, message] of [
      ['one', undefined],
      ['two', 'Land two'],
    ] as const) {
      branch(path, name, `${name}.txt`, name);
      commit(path, `${name}-main.txt`, 'main');
      await merge(name, { cwd: path, ...(message !== undefined && { message }) });
    }
    expect(
      plainGit(path, 'log', '--merges', '--reverse', '--format=%s %p').replaceAll(/ [\da-f]{7,}/gu, ' sha'),
    ).toBe("Merge branch 'one' sha sha\nLand two sha sha");
  });

  it.each([1, 2])('of a squash of %i commits is one commit with their messages', async (count) => {
    const path = newRepository();
    plainGit(path, 'checkout', '--quiet', '-b', 'fix');
    for (let at = 0; at < count; at += 1) commit(path, `b${at}.txt`, 'b');
    plainGit(path, 'checkout', '--quiet', 'main');
    const before = commit(path, 'c.txt', 'c');
    const { commits, sha } = await merge('fix', { cwd: path, strategy: 'squash' });
    expect(commits).toHaveLength(count);
    expect([head(path), plainGit(path, 'log', '-1', '--format=%P')]).toEqual([sha, before]);
    const single = 'change b0.txt';
    expect(plainGit(path, 'log', '-1', '--format=%B').trim()).toBe(
      count === 1 ? single : `Squash branch 'fix'\n\n${single}\n\nchange b1.txt`,
    );
  });

  it('is none with `ff-only` if the target moved', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'b');
    const before = commit(path, 'c.txt', 'c');
    await expect(merge('fix', { cwd: path, strategy: 'ff-only' })).rejects.toMatchObject({
      code: 'merge-conflict',
      message: expect.stringContaining('`ff-only` makes no merge') as string,
    });
    expect(head(path)).toBe(before);
  });

  it('is none for a branch with nothing new', async () => {
    const path = newRepository();
    plainGit(path, 'branch', 'same');
    expect(await merge('same', { cwd: path })).toMatchObject({
      isMerged: false,
      sha: head(path),
      commits: [],
    });
  });
});

describe('the target', () => {
  it('can be a branch that is checked out nowhere', async () => {
    const path = newRepository();
    plainGit(path, 'branch', 'next');
    const main = head(path);
    const sha = branch(path, 'fix', 'b.txt', 'b');
    expect(await merge('fix', { cwd: path, into: 'next' })).toMatchObject({ into: 'next', sha });
    expect([head(path, 'next'), head(path), existsSync(join(path, 'b.txt'))]).toEqual([sha, main, false]);
  });

  it('moves, and its merged branch is deleted, after merges that were killed', async () => {
    const path = newRepository();
    plainGit(path, 'branch', 'next');
    const sha = branch(path, 'fix', 'b.txt', 'b');
    const longAgo = new Date(Date.now() - 60_000);
    for (const name of ['refs/heads/next', 'refs/heads/fix', 'packed-refs']) {
      writeFileSync(join(path, '.git', `${name}.lock`), '');
      utimesSync(join(path, '.git', `${name}.lock`), longAgo, longAgo);
    }
    const merged = await merge('fix', { cwd: path, into: 'next', deleteBranch: true });
    expect(merged).toMatchObject({ into: 'next', sha, isMerged: true });
    expect(branches(path)).toEqual(['main', 'next']);
  });

  it('is named in the advice after a conflict', async () => {
    const path = newRepository();
    branch(path, 'next', 'a.txt', 'ours');
    branch(path, 'fix', 'a.txt', 'theirs');
    await expect(merge('fix', { cwd: path, into: 'next' })).rejects.toThrow(
      'git checkout next && git merge fix',
    );
  });

  it('is refused if another checkout has it', async () => {
    const path = newRepository();
    plainGit(path, 'worktree', 'add', '--quiet', '-b', 'next', join(path, '..', 'other'));
    branch(path, 'fix', 'b.txt', 'b');
    await expect(merge('fix', { cwd: path, into: 'next' })).rejects.toMatchObject({ code: 'branch-in-use' });
  });

  it('that moves during the check is merged and checked again', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'b');
    const checked: string[] = [];
    const result = await merge('fix', {
      cwd: path,
      sandbox: noSandbox(),
      async check({ exec }) {
        checked.push((await exec('git rev-parse HEAD')).stdout.trim());
        if (checked.length < 3) commit(path, `user-${checked.length}.txt`, 'user');
        return undefined;
      },
    });
    expect([checked.length, checked.at(-1), result.sha]).toEqual([3, head(path), head(path)]);
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['b.txt', 'user-1.txt', 'user-2.txt']));
  });

  it('that moves at each of five checks ends with a reason, and the branch is kept', async () => {
    const path = newRepository();
    const sha = branch(path, 'fix', 'b.txt', 'b');
    let checks = 0;
    const merging = merge('fix', {
      cwd: path,
      sandbox: noSandbox(),
      check() {
        commit(path, `user-${(checks += 1)}.txt`, 'user');
        return undefined;
      },
    });
    await expect(merging).rejects.toMatchObject({
      message: expect.stringContaining('moved 5 times') as string,
    });
    expect([checks, head(path, 'fix'), existsSync(join(path, 'b.txt'))]).toEqual([5, sha, false]);
  });
});

describe('a branch is kept, and the checkout is unchanged', () => {
  const refused = async (path: string, options: MergeOptions = {}): Promise<string> => {
    const before = [head(path), plainGit(path, 'status', '--porcelain'), branches(path)];
    const error: unknown = await merge('fix', { cwd: path, ...options }).catch((reason: unknown) => reason);
    expect([head(path), plainGit(path, 'status', '--porcelain'), branches(path)]).toEqual(before);
    expect(existsSync(join(path, '.git', 'MERGE_HEAD'))).toBe(false);
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  };

  it('after a conflict', async () => {
    const path = newRepository();
    branch(path, 'fix', 'a.txt', 'theirs');
    commit(path, 'a.txt', 'ours');
    expect(await refused(path)).toBe('merge-conflict');
  });

  it('if an untracked file is in the way', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'b');
    writeFileSync(join(path, 'b.txt'), 'mine');
    expect(await refused(path)).toBe('merge-conflict');
    expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('mine');
  });

  it('if it changes what git runs, unless the policy allows it', async () => {
    const path = newRepository();
    branch(path, 'fix', '.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ./x\n');
    expect(await refused(path)).toBe('sensitive-changes');
    const allowed = await merge('fix', { cwd: path, policies: { sensitiveChanges: 'warn' } });
    expect(allowed).toMatchObject({ isMerged: true, sensitiveChanges: [{ path: '.gitmodules' }] });
  });

  it('if a commit contains a declared secret', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'token-of-the-test-0123456789');
    expect(await refused(path, { env: { API_TOKEN: 'token-of-the-test-0123456789' } })).toBe(
      'secret-in-commits',
    );
  });

  it('while a run works on it', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'b');
    const lock = await acquireLock({
      commonDir: join(path, '.git'),
      key: branchLockKey('fix'),
      subject: 'The branch',
      command: 'a run',
      now: new Date(),
    });
    expect(await refused(path)).toBe('locked');
    await lock.release();
    expect(await merge('fix', { cwd: path })).toMatchObject({ isMerged: true });
  });

  it('if the check throws, with the error of the check', async () => {
    const path = newRepository();
    branch(path, 'fix', 'b.txt', 'b');
    const check = (): never => {
      throw new TypeError('a mistake in the check');
    };
    expect(await refused(path, { sandbox: noSandbox(), check })).toBe('TypeError: a mistake in the check');
  });
});

it('merges at once into one branch all land, one after the other', async () => {
  const path = newRepository();
  const names = Array.from({ length: matrixRuns(4, 10) }, (_, at) => `fix/${at}`);
  for (const name of names) branch(path, name, `${name.replace('/', '-')}.txt`, name);
  let running = 0;
  let most = 0;
  const results: MergeResult[] = await Promise.all(
    names.map((name) =>
      merge(name, {
        cwd: path,
        sandbox: noSandbox(),
        async check({ exec }) {
          most = Math.max(most, (running += 1));
          await exec('true');
          running -= 1;
          return undefined;
        },
      }),
    ),
  );
  expect(most).toBe(1);
  expect(results.map(({ isMerged }) => isMerged)).toEqual(names.map(() => true));
  expect(readdirSync(path).filter((file) => file.startsWith('fix-'))).toHaveLength(names.length);
  expect(plainGit(path, 'fsck', '--no-dangling')).toBe('');
});

it('deletes the branch on request, unless it is checked out', async () => {
  const path = newRepository();
  branch(path, 'one', 'b.txt', 'b');
  branch(path, 'two', 'c.txt', 'c');
  plainGit(path, 'worktree', 'add', '--quiet', join(path, '..', 'two'), 'two');
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  await merge(['one', 'two'], { cwd: path, deleteBranch: true, onWarning });
  expect(branches(path)).toEqual(['main', 'two']);
  expect(warnings).toEqual([expect.stringContaining('`two` could not be deleted: it is checked out in')]);
});

describe('is refused before anything is read', () => {
  const options = { cwd: '/nowhere' };
  it.each([
    ['without a branch', [] as never, options, 'a branch or a list of branches'],
    [
      'a check without a sandbox',
      'fix',
      { ...options, check: () => undefined },
      'Expected `sandbox` beside `check`',
    ],
    [
      'an unknown strategy',
      'fix',
      { ...options, strategy: 'rebase' as never },
      'one of merge, squash, ff-only',
    ],
    ['an empty message', 'fix', { ...options, message: ' ' }, 'Expected `message` to be a text'],
    ['an unknown option', 'fix', { ...options, target: 'x' } as never, '`target`'],
    ['a name that is no branch', 'a..b', options, 'Expected a valid branch name'],
  ] as const)('%s', async (_title, name, wrong, message) => {
    await expect(merge(name as string, wrong)).rejects.toThrow(message);
  });

  it('a branch that does not exist, by its name', async () => {
    const path = newRepository();
    await expect(merge('nobody', { cwd: path })).rejects.toMatchObject({
      code: 'invalid-branch',
      branch: 'nobody',
    });
  });
});
