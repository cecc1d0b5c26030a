/** Deletion of a branch after its merge. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { git, type GitOptions, type GitResult } from '../command/git.ts';
import type { MergeToHeadOptions, MergeOutcome } from './merge.ts';
import { hostCall } from './write-merge.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

/** Creates the call that deletes the references in its input. */
export async function branchDeletion(
  options: Pick<MergeToHeadOptions, 'worktree' | 'timeoutMs'>,
): Promise<WaitingGit> {
  return waitingGit(['update-ref', '--stdin'], await hostCall(options));
}

export interface DeleteMergedBranchOptions extends Pick<MergeToHeadOptions, 'timeoutMs' | 'onWarning'> {
  readonly worktree: LockedWorktree;
  /** A `branchDeletion` that can have started. @default a new one */
  readonly deletion?: WaitingGit;
  /** False for a kept worktree. It stays on the same commit, with HEAD detached. */
  readonly isWorktreeGone: boolean;
}

/**
 * Deletes a merged branch, unless it has moved. A failure is only a warning, because the work is
 * merged.
 */
export async function deleteMergedBranch(
  { tip, isAttached }: MergeOutcome,
  { isWorktreeGone, ...options }: DeleteMergedBranchOptions,
): Promise<void> {
  const { branch } = options.worktree;
  if (branch === undefined) return;
  const call = await hostCall(options);
  const detached =
    isAttached && !isWorktreeGone
      ? await git(['update-ref', '--no-deref', 'HEAD', tip], {
          ...call,
          paths: worktreePaths(options.worktree),
        })
      : undefined;
  const deletion = options.deletion ?? (await branchDeletion(options));
  const deleted = await deletion.run(`delete refs/heads/${branch} ${tip}\n`);
  const failed = [detached, deleted].find((result) => result !== undefined && result.exitCode !== 0);
  if (failed === undefined) return;
  options.onWarning(
    `The merged branch \`${branch}\` could not be deleted: ${cut(failed.stderr.trim())} Delete it with \`git branch -D ${branch}\`.`,
  );
}

/** A git command that does nothing until it has its input. */
interface WaitingGit extends AsyncDisposable {
  /** Starts the command, if it has not started. */
  start(): void;
  /** Sends the input and returns the result. Call it once. */
  run(input: string): Promise<GitResult>;
}

/**
 * Creates the call of a command that reads its stdin before it does anything. Nothing is started
 * yet.
 *
 * When it is disposed, or when this process ends, a started command reads an empty stdin. Choose a
 * command that then changes nothing. Disposing waits for its end.
 */
export function waitingGit(args: readonly string[], options: Omit<GitOptions, 'input'>): WaitingGit {
  const { promise: input, resolve } = Promise.withResolvers<string>();
  let isDisposed = false;
  let running: Promise<GitResult> | undefined;
  return {
    start() {
      if (isDisposed || running !== undefined) return;
      running = git(args, { ...options, input });
      // The caller gets the error with the result.
      running.catch(() => undefined);
    },
    run(text) {
      resolve(text);
      running ??= git(args, { ...options, input: text });
      return running;
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      resolve('');
      await running?.catch(() => undefined);
    },
  };
}
