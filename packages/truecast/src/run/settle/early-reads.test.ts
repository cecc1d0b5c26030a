/** Early reads of settling: which ones start, for which sandbox. */
import { expect, it } from 'vitest';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { startEarlyReads, type EarlyReads } from './early-reads.ts';

const worktree = {
  branch: 'main',
  baseSha: 'a'.repeat(40),
  path: '/absent',
  gitDir: '/absent/.git',
  commonDir: '/absent/.git',
  strategy: { type: 'head' },
  repository: { topLevel: '/absent', branch: 'main', knownTips: [] },
} as unknown as LockedWorktree;

function start(type: BranchStrategy['type'], hasOwnGit: boolean): [EarlyReads | undefined, string[]] {
  const reviewed: string[] = [];
  const context = {
    options: { branchStrategy: { type }, timeouts: { commitCollectionMs: 10_000 } },
    workspace: {
      worktree,
      handle: { ...(hasOwnGit && { handOver: () => undefined }) },
      review: {
        reviewCommits: ({ tip }: { readonly tip: string }) => {
          reviewed.push(tip);
          return Promise.reject(new Error('no repository'));
        },
      },
    },
  } as unknown as Parameters<typeof startEarlyReads>[0];
  return [startEarlyReads(context), reviewed];
}

it('reads nothing before the shared git directory was verified', () => {
  expect(start('head', false)).toEqual([undefined, []]);
});

it('lists the commits and reviews them once, in the checkout itself', async () => {
  const [early, reviewed] = start('head', true);
  expect(reviewed).toEqual(['refs/heads/main']);
  expect((await early?.collecting)?.commits).toEqual([]);
  await expect(early?.ownChanges).rejects.toThrow('no repository');
});

it('leaves the review to the merge', async () => {
  const [early, reviewed] = start('merge-to-head', true);
  expect([early?.ownChanges, reviewed]).toEqual([undefined, []]);
  await early?.collecting;
});
