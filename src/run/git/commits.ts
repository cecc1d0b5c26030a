/** Owns which commits are the agent's own. */
import type { CommitRef } from '../../errors/run-evidence.ts';
import { cut } from '../../errors/describe-value.ts';
import { git, type GitCallOptions } from './git.ts';
import { worktreePaths, type Worktree } from './worktree.ts';

/** The agent's commits, and what kept any from being told. */
export interface CollectedCommits {
  /** Oldest first. */
  readonly commits: CommitRef[];
  readonly warning?: string;
}

/**
 * Collects what the agent committed: all that the worktree's HEAD and its branch reach, and nothing did before.
 *
 * The agent may have detached HEAD or made a branch of its own. Commits that others made meanwhile on the host's branch,
 * or its remote's, are not the agent's though it may have merged them. So call it before the agent's work is merged there.
 * Never throws for a failure of git; rejects only with the signal's reason.
 */
export async function collectCommits(worktree: Worktree, options: GitCallOptions): Promise<CollectedCommits> {
  const { branch, baseSha, repository, strategy } = worktree;
  const host = repository.branch;
  const isForeign = strategy.type !== 'head' && host !== undefined && host !== branch;
  const revisions = [
    'HEAD',
    ...(branch === undefined ? [] : [`refs/heads/${branch}`]),
    `^${baseSha}`,
    ...(isForeign ? [`^refs/heads/${host}`, `^refs/remotes/origin/${host}`] : []),
    ...repository.knownTips.map((sha) => `^${sha}`),
  ];
  try {
    // Known tips may be thousands, more than a command line holds; some may be gone by now.
    const result = await git(['rev-list', '--ignore-missing', '--topo-order', '--reverse', '--stdin'], {
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      cwd: repository.topLevel,
      paths: worktreePaths(worktree),
      input: `${revisions.join('\n')}\n`,
    });
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
