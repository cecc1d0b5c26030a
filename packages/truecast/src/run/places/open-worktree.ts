/** Opens a locked worktree and copies the caller's files into it. */
import { copyToWorktree } from '../../git/worktree/copy-to-worktree.ts';
import { continuedWorktree, type ContinuedWork } from '../../git/worktree/continued-worktree.ts';
import { recoverCheckouts } from '../../git/worktree/recover-checkouts.ts';
import { pruneWorktrees, removeWorktree } from '../../git/worktree/remove-worktree.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { lockWorktree, type LockedWorktree, worktreePaths } from '../../git/worktree/worktree.ts';
import { warnAboutBranch } from '../review/warn-about-branch.ts';
import { hostCommands } from '../options/hooks.ts';
import { runWorktreeHooks } from '../prepare/run-hooks.ts';
import { removeReadOnlyWorktrees, throwAway } from '../prepare/read-only-worktrees.ts';
import { warnAboutHooks } from '../prepare/warn-about-hooks.ts';
import { gitCallOf, type PlaceContext } from '../context/run-context.ts';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { GitCallOptions } from '../../git/command/git.ts';
import { readStatus } from '../../git/worktree/status.ts';

export interface OpenWorktreeOptions {
  readonly repository: Repository;
  /** Included in the error of a second run that finds this worktree locked. */
  readonly command: string;
  /** Work of an earlier execution of the same run. @default none */
  readonly continues?: ContinuedWork | undefined;
}

/**
 * Creates or reuses the worktree, copies files into it, and runs the host's hooks for it.
 *
 * @throws RepositoryError, SandboxError; on failure a new worktree is removed again, unless it
 *   holds work
 */
export async function openWorktree(
  context: PlaceContext,
  { repository, command, continues }: OpenWorktreeOptions,
): Promise<LockedWorktree> {
  const { options, signal, warn } = context;
  const { branchStrategy, name, isThrownAway } = options;
  await recoverCheckouts({ repository, ...gitCallOf(context), onWarning: warn });
  // A killed run left its worktree registered. Git must forget it before the name can be reused.
  if (branchStrategy.type !== 'head') await pruneWorktrees(repository, gitCallOf(context));
  await removeReadOnlyWorktrees(repository, gitCallOf(context));
  const locked = await lockWorktree({
    repository,
    branchStrategy,
    name,
    command,
    isThrownAway,
    now: new Date(),
    ...gitCallOf(context),
    onWarning: warn,
  });
  const worktree =
    continues === undefined
      ? locked
      : await continuedWorktree(locked, continues, gitCallOf(context)).catch(async (error: unknown) => {
          await locked.lock.release();
          throw error;
        });
  try {
    await copyFiles(context, worktree);
    const call = gitCallOf(context);
    await Promise.all([
      warnAboutUnsaved(worktree, { ...call, warn }),
      warnAboutBranch(worktree, { ...call, hooks: hostCommands(options.hooks), warn }),
    ]);
    await runWorktreeHooks(options.hooks, { worktreePath: worktree.path, signal });
    await warnAboutHooks(worktree, warn);
    return {
      ...worktree,
      preparation: {
        commit: worktree.baseSha,
        copied: options.copyToWorktree ?? [],
        hostCommands: options.hooks?.host?.onWorktreeReady ?? [],
      },
    };
  } catch (error) {
    await abandonWorktree(context, worktree);
    throw error;
  }
}

/**
 * Releases a worktree in which no agent worked. Removes it if it is clean and was created for this, or
 * if it is read-only, and releases its lock.
 */
export async function abandonWorktree({ options }: PlaceContext, worktree: LockedWorktree): Promise<void> {
  try {
    const call = { timeoutMs: options.timeouts.gitSetupMs };
    if (options.isThrownAway === true) await throwAway(worktree.repository, worktree, call);
    else await removeWorktree(worktree, call);
  } finally {
    await worktree.lock.release();
  }
}

/** Copies the caller's files into a worktree. A missing file is a warning. */
export async function copyFiles(
  { options, signal, warn }: PlaceContext,
  worktree: LockedWorktree,
): Promise<void> {
  if (options.copyToWorktree === undefined) return;
  const { missing, blocked } = await copyToWorktree(worktree, options.copyToWorktree, {
    timeoutMs: options.timeouts.copyToWorktreeMs,
    signal,
  });
  for (const path of missing) {
    warn(`\`copyToWorktree\` names \`${path}\`, which is not in the repository; it was skipped.`);
  }
  for (const path of blocked) {
    warn(`\`${path}\` was not copied: its target in the worktree is a symbolic link.`);
  }
}

const MAX_NAMED = 5;

/** Warns if the agent works in the caller's checkout, and the checkout has uncommitted changes. */
async function warnAboutUnsaved(
  worktree: LockedWorktree,
  { warn, ...call }: GitCallOptions & { readonly warn: (message: string) => void },
): Promise<void> {
  if (worktree.strategy.type !== 'head') return;
  const status = await readStatus(
    {
      paths: worktreePaths(worktree),
      trustedCommit: worktree.baseSha,
      trustedConfig: worktree.repository.statusFilters,
    },
    call,
  );
  // Truecast's own files can be untracked there, and are no work of the user. A populated submodule
  // is usual in a user's checkout.
  const dirtyPaths = status.dirtyPaths.filter(
    (path) => !path.startsWith('.truecast/') && !status.submodules.includes(path),
  );
  if (dirtyPaths.length === 0) return;
  const named = dirtyPaths
    .slice(0, MAX_NAMED)
    .map((path) => `\`${cut(path)}\``)
    .join(', ');
  warn(
    `uncommitted: The agent works in your checkout, which has uncommitted changes of yours in ${named}${dirtyPaths.length > MAX_NAMED ? ' and others' : ''}. Its commits can contain them. Commit or stash them first, or use \`branchStrategy: { type: 'merge-to-head' }\`.`,
  );
}
