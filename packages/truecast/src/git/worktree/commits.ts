/** Commit collection: finds the agent's own commits. */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import { git, type GitCallOptions, type GitResult } from '../command/git.ts';
import type { TipRead } from '../command/tip-read.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

/** The agent's commits, and the reason if some are missing. */
export interface CollectedCommits {
  /** Oldest first. */
  readonly commits: CommitRef[];
  readonly warning?: string;
}

// There can be thousands of known tips, too many for a command line. Some can have been deleted.
const ORDER = ['rev-list', '--topo-order', '--reverse'];
const FROM_INPUT = ['--ignore-missing', '--stdin'];

/** Creates the read that lists the agent's commits up to a tip. */
export function commitListing(worktree: LockedWorktree): TipRead {
  return { args: [...ORDER, ...FROM_INPUT], input: `${foreignRevisions(worktree).join('\n')}\n` };
}

/**
 * Collects the agent's commits: those on the run's branch, but not on any earlier reference. On a
 * detached HEAD without a branch, those at HEAD.
 *
 * `keepOtherWork` finds the agent's commits elsewhere. Commits that others made on the host's
 * branch or its remote during the run are not the agent's, even if it has merged them. Therefore
 * call this before the agent's work is merged. A git failure is not thrown. Rejects only with the
 * signal's reason.
 *
 * @param listed result of `commitListing` for the current tip, if it was read before
 */
export async function collectCommits(
  worktree: LockedWorktree,
  options: GitCallOptions,
  listed?: GitResult,
): Promise<CollectedCommits> {
  try {
    const result = listed ?? (await listCommits(worktree, options));
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

async function listCommits(worktree: LockedWorktree, options: GitCallOptions): Promise<GitResult> {
  const { branch, repository } = worktree;
  const { timeoutMs, signal } = options;
  const call = { timeoutMs, signal, cwd: repository.topLevel, paths: worktreePaths(worktree) };
  const own = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  // Before `--ignore-missing`, which applies to references without their object too.
  const result = await git([...ORDER, own, ...FROM_INPUT, '--'], {
    ...call,
    input: `${foreignRevisions(worktree).join('\n')}\n`,
  });
  if (result.exitCode === 0 || branch === undefined) return result;
  // A missing branch has no commits. A broken one, which git warns about, can have some.
  const read = await git(['rev-parse', '--verify', '--quiet', own], call);
  return read.exitCode === 1 && read.stderr === '' ? { ...result, exitCode: 0, stdout: '' } : result;
}

/** Returns the revisions whose commits are not the agent's, each with `^`. */
export function foreignRevisions({
  branch,
  baseSha,
  repository,
  strategy,
}: LockedWorktree): readonly string[] {
  const host = repository.branch;
  const isForeign = strategy.type !== 'head' && host !== undefined && host !== branch;
  return [
    `^${baseSha}`,
    ...(isForeign ? [`^refs/heads/${host}`, `^refs/remotes/origin/${host}`] : []),
    ...repository.knownTips.map((sha) => `^${sha}`),
  ];
}
