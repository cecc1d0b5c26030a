/** Commit collection: finds the agent's own commits. */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { git, type GitCallOptions, type GitResult } from '../command/git.ts';
import type { TipRead } from '../command/tip-read.ts';
import { madeSince } from '../recovered/head-log.ts';
import { findHostMoves, type HostMove } from '../recovered/host-moves.ts';
import { hostReferences } from '../recovered/start-marks.ts';
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
 * branch or its remote during the run are not the agent's, even if it has merged them. Commits that
 * it made and put there itself are. Therefore call this before the agent's work is merged. A git
 * failure is not thrown. Rejects only with the signal's reason.
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
    const moves = listed === undefined ? findHostMoves(worktree) : [];
    const made = moves.length === 0 ? [] : [...madeSince(worktree.gitDir, worktree.marks.headLog)];
    const ids =
      made.length === 0
        ? idsOf(result)
        : await addMade(worktree, { listed: idsOf(result), made, moves }, options);
    const commits = ids.map((sha) => ({ sha }));
    if (result.exitCode === 0) return { commits };
    return { commits, warning: `The agent's commits could not all be listed: ${cut(result.stderr.trim())}` };
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return { commits: [], warning: `The agent's commits could not be listed: ${cut(String(error))}` };
  }
}

function idsOf({ stdout }: GitResult): readonly string[] {
  return stdout.split('\n').filter((sha) => sha !== '');
}

interface MadeCommits {
  readonly listed: readonly string[];
  /** Commits that the agent created in its worktree. */
  readonly made: readonly string[];
  readonly moves: readonly HostMove[];
}

/** Adds those commits of the branch that the agent has also put on the caller's branch. */
async function addMade(
  worktree: LockedWorktree,
  { listed, made, moves }: MadeCommits,
  options: GitCallOptions,
): Promise<readonly string[]> {
  const own = new Set([...listed, ...made]);
  const wide = await listCommits(worktree, options, moves);
  return wide.exitCode === 0 ? idsOf(wide).filter((sha) => own.has(sha)) : listed;
}

async function listCommits(
  worktree: LockedWorktree,
  options: GitCallOptions,
  moves: readonly HostMove[] = [],
): Promise<GitResult> {
  const { branch, repository } = worktree;
  const { timeoutMs, signal } = options;
  const call = { timeoutMs, signal, cwd: repository.topLevel, paths: worktreePaths(worktree) };
  const own = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  // Before `--ignore-missing`, which applies to references without their object too.
  const result = await git([...ORDER, own, ...FROM_INPUT, '--'], {
    ...call,
    input: `${foreignRevisions(worktree, moves).join('\n')}\n`,
  });
  if (result.exitCode === 0 || branch === undefined) return result;
  // A missing branch has no commits. A broken one, which git warns about, can have some.
  const read = await git(['rev-parse', '--verify', '--quiet', own], call);
  return read.exitCode === 1 && read.stderr === '' ? { ...result, exitCode: 0, stdout: '' } : result;
}

/**
 * Returns the revisions whose commits are not the agent's, each with `^`. Of the moved references,
 * those before the move.
 */
export function foreignRevisions(
  { branch, baseSha, repository, strategy }: LockedWorktree,
  moves: readonly HostMove[] = [],
): readonly string[] {
  const host = repository.branch;
  const isForeign = strategy.type !== 'head' && host !== branch;
  const before = new Map(moves.map((move) => [move.reference, move.before]));
  const foreign = isForeign ? hostReferences(host).map((name) => before.get(name) ?? name) : [];
  return [baseSha, ...foreign, ...repository.knownTips].map((name) => `^${name}`);
}
