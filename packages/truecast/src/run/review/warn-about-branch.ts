/**
 * Warning about a reused branch: the caller's host hooks run in files that an agent can have
 * written.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { GitCallOptions } from '../../git/command/git.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { listTreeChanges } from './tree-changes.ts';

/** Inputs of the check. */
export interface WarnAboutBranchOptions extends GitCallOptions {
  /** Command lines of the hooks on the host. */
  readonly hooks: readonly string[];
  readonly warn: (message: string) => void;
}

const SHOWN_PATHS = 5;

/**
 * Warns before host hooks run on a branch that differs from the checkout's commit.
 *
 * Every changed file counts, because a command such as `npm ci` can start any of them.
 */
export async function warnAboutBranch(
  { strategy, branch, baseSha, repository }: LockedWorktree,
  { hooks, warn, ...call }: WarnAboutBranchOptions,
): Promise<void> {
  const [hook] = hooks;
  if (hook === undefined || branch === undefined || strategy.type !== 'branch') return;
  if (baseSha === repository.headSha) return;
  const target = repository.branch ?? 'HEAD';
  const range = { base: repository.headSha, tip: baseSha, sinceMergeBase: true };
  const changes = await listTreeChanges(range, {
    ...call,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  }).catch((error: unknown) => {
    // Without a common commit, every file of the branch can be new.
    if (RepositoryError.isInstance(error)) return undefined;
    throw error;
  });
  if (changes?.length === 0) return;
  const look = `git diff --no-ext-diff --no-textconv ${target}...${branch}`;
  warn(
    `The hook \`${cut(hook)}\` runs on this machine with files of the branch \`${branch}\` that differ from \`${target}\`: ${describePaths(changes?.map(({ path }) => path))}. Read \`${look}\` before you trust them, or move the hook to \`hooks.sandbox\`.`,
  );
}

function describePaths(paths: readonly string[] | undefined): string {
  if (paths === undefined) return 'they could not be compared';
  const rest = paths.length - SHOWN_PATHS;
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => `\`${cut(path)}\``);
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
