/** Early reads of settling: which ones start, for which sandbox. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import { cleanUp, commit, newRepository, place } from '../../git/test-repository.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { startEarlyReads, type EarlyReads } from './early-reads.ts';
import { startSettleReview } from './settle-review.ts';

type SettledContext = Parameters<typeof startSettleReview>[0];

afterEach(cleanUp);

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
    progress: { made: new Set() },
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
  expect(await early?.merge).toBeUndefined();
});

it('reviews the expected merge of commits as soon as they are listed', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const tip = commit(worktree.path, 'b.txt', 'two\n');
  const ranges: unknown[] = [];
  const context = {
    options: { branchStrategy: { type: 'merge-to-head' }, timeouts: { commitCollectionMs: 10_000 } },
    progress: { made: new Set() },
    workspace: {
      worktree,
      handle: { handOver: () => undefined },
      review: {
        reviewCommits: (range: unknown) => {
          ranges.push(range);
          return Promise.resolve([]);
        },
      },
    },
  } as unknown as SettledContext & Parameters<typeof startEarlyReads>[0];
  const early = startEarlyReads(context);
  await early?.merge;
  const range = { base: worktree.baseSha, tip, sinceMergeBase: true };
  expect(ranges).toEqual([range]);
  const settling = { ...context, workspace: { ...context.workspace, review: reviewOf(context) } };
  await startSettleReview(settling, early).beforeMerge({ hostSha: worktree.baseSha, tip });
  expect(ranges).toEqual([range]);
  const moved = 'b'.repeat(40);
  await startSettleReview(settling, early).beforeMerge({ hostSha: moved, tip });
  expect(ranges).toEqual([range, { ...range, base: moved }]);
});

it.each(['ends', 'fails'])('ends after the review of no commits, which %s', async (outcome) => {
  const steps: string[] = [];
  const ownChanges = setImmediate().then(() => {
    steps.push('reviewed');
    if (outcome === 'fails') throw new Error('no repository');
    return [];
  });
  const context = {
    options: { branchStrategy: { type: 'head' }, timeouts: { commitCollectionMs: 10_000 } },
    workspace: { worktree },
  } as unknown as SettledContext;
  const settling = { ...context, workspace: { ...context.workspace, review: reviewOf(context) } };
  const collected = { commits: [] };
  const early = { collecting: Promise.resolve(collected), ownChanges, merge: undefined };
  expect(await startSettleReview(settling, early).changes(collected)).toEqual([]);
  steps.push('ended');
  expect(steps).toEqual(['reviewed', 'ended']);
});

function reviewOf({ workspace }: SettledContext): SettledContext['workspace']['review'] {
  const nothing = (): Promise<readonly never[]> => Promise.resolve([]);
  return {
    ...workspace.review,
    reviewFiles: nothing,
    clearRights: nothing,
    quarantineHooks: (changes) => changes,
  };
}
