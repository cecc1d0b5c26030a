/** Commit collection: finds the agent's own commits. */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { GitCallOptions } from '../command/git.ts';
import { parkedGit, type WaitingGit } from '../command/waiting-git.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

/** The agent's commits, and the reason if some are missing. */
export interface CollectedCommits {
  /** Oldest first. */
  readonly commits: CommitRef[];
  readonly warning?: string;
}

/** Creates the call that lists the commits reachable from the revisions in its input. */
export function commitListing(worktree: LockedWorktree, options: GitCallOptions): WaitingGit {
  // There can be thousands of known tips, too many for a command line. Some can have been deleted.
  // A missing HEAD is a failure.
  const args = ['rev-list', '--topo-order', '--reverse', 'HEAD', '--ignore-missing', '--stdin', '--'];
  return parkedGit(args, {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    cwd: worktree.repository.topLevel,
    paths: worktreePaths(worktree),
  });
}

/**
 * Collects the agent's commits: those reachable from the worktree's HEAD and branch, but not from
 * any earlier reference.
 *
 * The agent can have detached HEAD or created another branch. Commits that others made on the
 * host's branch or its remote during the run are not the agent's, even if it has merged them.
 * Therefore call this before the agent's work is merged. A git failure is not thrown. Rejects only
 * with the signal's reason.
 *
 * @param listing call of `commitListing`, if it was created before
 */
export async function collectCommits(
  worktree: LockedWorktree,
  options: GitCallOptions,
  listing: WaitingGit = commitListing(worktree, options),
): Promise<CollectedCommits> {
  const { branch, baseSha, repository, strategy } = worktree;
  const host = repository.branch;
  const isForeign = strategy.type !== 'head' && host !== undefined && host !== branch;
  const revisions = [
    ...(branch === undefined ? [] : [`refs/heads/${branch}`]),
    `^${baseSha}`,
    ...(isForeign ? [`^refs/heads/${host}`, `^refs/remotes/origin/${host}`] : []),
    ...repository.knownTips.map((sha) => `^${sha}`),
  ];
  try {
    const result = await listing.run(`${revisions.join('\n')}\n`);
    const commits = result.stdout
      .split('\n')
      .filter((sha) => sha !== '')
      .map((sha) => ({ sha }));
    if (result.exitCode === 0) return { commits };
    return { commits, warning: `The agent's commits could not all be listed: ${cut(result.stderr.trim())}` };
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return { commits: [], warning: `The agent's commits could not be listed: ${cut(String(error))}` };
  }
}
