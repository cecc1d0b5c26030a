/** Commit collection: finds the agent's own commits. */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { git, type GitCallOptions, type GitResult } from '../command/git.ts';
import type { TipRead } from '../command/tip-read.ts';
import { madeSince } from '../recovered/head-log.ts';
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
 * it made itself are, also if it put them there, and if another branch has the same commit: an agent with
 * fixed dates that repeats work creates it again. Therefore call this before the agent's work is merged. A git
 * failure is not thrown. Rejects only with the signal's reason.
 */
export async function collectCommits(
  worktree: LockedWorktree,
  options: GitCallOptions,
  { listed, made: handed = [] }: HandedCommits = {},
): Promise<CollectedCommits> {
  try {
    const result = listed ?? (await listCommits(worktree, options));
    const known = new Set(idsOf(result));
    const made = [...handed, ...madeSince(worktree.gitDir, worktree.marks.headLog)];
    const isWhole = result.exitCode !== 0 || made.every((sha) => known.has(sha));
    const ids = isWhole ? [...known] : await addMade(worktree, new Set([...known, ...made]), options);
    const commits = (ids ?? [...known]).map((sha) => ({ sha }));
    if (result.exitCode === 0) return { commits };
    return { commits, warning: `The agent's commits could not all be listed: ${cut(result.stderr.trim())}` };
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return { commits: [], warning: `The agent's commits could not be listed: ${cut(String(error))}` };
  }
}

/** Commits that a sandbox has handed over. */
export interface HandedCommits {
  /** Result of `commitListing` for the current tip, if it was read before. */
  readonly listed?: GitResult | undefined;
  /** Commits that the guest created in its own git directory. */
  readonly made?: Iterable<string>;
}

function idsOf({ stdout }: GitResult): readonly string[] {
  return stdout.split('\n').filter((sha) => sha !== '');
}

/**
 * Returns those commits of the branch that are the agent's own. Created ones can be missing: the agent has amended
 * them. Undefined after a failure.
 */
async function addMade(
  worktree: LockedWorktree,
  own: ReadonlySet<string>,
  options: GitCallOptions,
): Promise<readonly string[] | undefined> {
  const all = await listCommits(worktree, options, [worktree.baseSha]);
  return all.exitCode === 0 ? idsOf(all).filter((sha) => own.has(sha)) : undefined;
}

async function listCommits(
  worktree: LockedWorktree,
  options: GitCallOptions,
  foreign: readonly string[] = foreignTips(worktree),
): Promise<GitResult> {
  const { branch, repository } = worktree;
  const { timeoutMs, signal } = options;
  const call = { timeoutMs, signal, cwd: repository.topLevel, paths: worktreePaths(worktree) };
  const own = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  // Before `--ignore-missing`, which applies to references without their object too.
  const result = await git([...ORDER, own, ...FROM_INPUT, '--'], {
    ...call,
    input: `${foreign.map((name) => `^${name}`).join('\n')}\n`,
  });
  if (result.exitCode === 0 || branch === undefined) return result;
  // A missing branch has no commits. A broken one, which git warns about, can have some.
  const read = await git(['rev-parse', '--verify', '--quiet', own], call);
  return read.exitCode === 1 && read.stderr === '' ? { ...result, exitCode: 0, stdout: '' } : result;
}

/** Returns the revisions whose commits are not the agent's, each with `^`. */
export function foreignRevisions(worktree: LockedWorktree): readonly string[] {
  return foreignTips(worktree).map((name) => `^${name}`);
}

function foreignTips({ branch, baseSha, repository, strategy }: LockedWorktree): readonly string[] {
  const host = repository.branch;
  const isForeign = strategy.type !== 'head' && host !== branch;
  return [baseSha, ...(isForeign ? hostReferences(host) : []), ...repository.knownTips];
}
