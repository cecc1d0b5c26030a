/** Warning about changes of the user that were there before an agent starts in the same checkout. */
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { GitCallOptions } from '../../git/command/git.ts';
import { readStatus } from '../../git/worktree/status.ts';
import { worktreePaths, type LockedWorktree } from '../../git/worktree/worktree.ts';

const MAX_NAMED = 5;

/** Warns if the agent works in the caller's checkout, and the checkout has uncommitted changes. */
export async function warnAboutUnsaved(
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
