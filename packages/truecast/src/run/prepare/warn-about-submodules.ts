/** Warning about submodules that an agent cannot use at its place. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { GitCallOptions } from '../../git/command/git.ts';
import { listGitlinks } from '../../git/worktree/status.ts';
import { worktreePaths, type LockedWorktree } from '../../git/worktree/worktree.ts';

/** Circumstances of a place. */
export interface SubmoduleWarningOptions extends GitCallOptions {
  /** True if the agent runs in a sandbox, not on the host. */
  readonly isGuest: boolean;
  readonly warn: (message: string) => void;
}

const MAX_NAMED = 5;

/** Warns if the checkout has submodules that the agent cannot use as in the caller's checkout. */
export async function warnAboutSubmodules(
  worktree: LockedWorktree,
  { isGuest, warn, ...call }: SubmoduleWarningOptions,
): Promise<void> {
  const isHead = worktree.strategy.type === 'head';
  if (isHead && !isGuest) return;
  const paths = await listGitlinks({ paths: worktreePaths(worktree) }, call);
  if (paths.length === 0) return;
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  const named = `${paths
    .slice(0, MAX_NAMED)
    .map((path) => `\`${cut(path)}\``)
    .join(', ')}${more}`;
  if (isHead)
    warn(
      `submodules: The agent can read ${named} and cannot commit in them, because the sandbox has no write access to their repositories. Commit there yourself, or use \`noSandbox()\`.`,
    );
  else
    warn(
      `submodules: A worktree has no files of ${named}. To fill them, run \`git submodule update --init\` in a hook of \`host.onWorktreeReady\`.${isGuest ? ' In a sandbox, git does not work inside them.' : ''} A worktree with filled submodules is kept.`,
    );
}
