/**
 * The agent's work outside of the run's branch, where the agent uses the host's git directory: a
 * detached HEAD, other branches, a renamed branch, the stash, the caller's branch, an unfinished
 * rebase.
 *
 * A sandbox with its own git directory does the same in its hand-over.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, gitOutput, type GitCallOptions, type GitOptions } from '../command/git.ts';
import {
  findLeft,
  describeRecovered,
  DETACHED_HEAD,
  keepAside,
  nameOfReference,
  UNFINISHED,
  UNFINISHED_FILES,
  type KeptWork,
} from '../recovered/keep-aside.ts';
import { branchesSince, headsSince, leftSince } from '../recovered/head-log.ts';
import { findHostMoves, keepHostMoves } from '../recovered/host-moves.ts';
import { findStashed, readStash } from '../recovered/stash-entries.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { foreignRevisions, type CollectedCommits } from './commits.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

/** Work that was kept, and its warnings. */
export interface OtherWork {
  readonly recovered: readonly RecoveredRef[];
  readonly warnings: readonly string[];
}

export interface OtherWorkOptions extends GitCallOptions {
  /** Commits that the sandbox has kept before. */
  readonly kept: readonly string[];
}

/**
 * Keeps the agent's commits that are not on the run's branch. Creates the branch again at its old
 * commit if the agent renamed or deleted it. Starts no git process if HEAD was only on the branch.
 *
 * References of the user and of other runs are not the agent's: only those count whose tip was this
 * checkout's HEAD.
 *
 * @param collected the commits on the branch
 */
export async function keepOtherWork(
  worktree: LockedWorktree,
  { commits, warning }: CollectedCommits,
  { kept, ...options }: OtherWorkOptions,
): Promise<OtherWork> {
  const { gitDir, commonDir, branch, marks } = worktree;
  const warnings = isUnfinished(gitDir) ? [UNFINISHED] : [];
  if (branch === undefined) return { recovered: [], warnings };
  const head = readHead(gitDir);
  const heads = new Set(headsSince(gitDir, marks.headLog));
  if (head.sha !== undefined) heads.add(head.sha);
  const accounted = new Set([...commits.map(({ sha }) => sha), ...worktree.repository.knownTips]);
  const isOnBranch = head.reference === `refs/heads/${branch}`;
  const isWhole = commits.length > 0 || existsSync(join(commonDir, 'refs', 'heads', branch));
  const entries = readStash(commonDir).filter(({ sha }) => !marks.stash.has(sha) && !kept.includes(sha));
  const moves = findHostMoves(worktree);
  const isElsewhere = entries.length + moves.length > 0;
  const isPlain = isOnBranch && isWhole && warning === undefined && !isElsewhere;
  if (isPlain && [...heads].every((sha) => accounted.has(sha) || sha === worktree.baseSha)) {
    return { recovered: [], warnings };
  }
  const call = { ...options, cwd: worktree.repository.topLevel, paths: worktreePaths(worktree) };
  await restoreBranch(worktree, branch, call);
  const work = await findWork(worktree, { heads, kept, head }, call);
  const branches = new Set([branch, ...branchesSince(gitDir, marks.headLog)]);
  const stashed = await findStashed({ entries, branches, heads }, call);
  const id = randomBytes(6).toString('hex');
  const recovered = await keepAside({ id, kept: [...work, ...stashed] }, call);
  const moved = await keepHostMoves(moves, { id, gitDir, marks }, call);
  return {
    recovered: [...recovered, ...moved.recovered],
    warnings: [...describeRecovered(recovered), ...moved.warnings, ...warnings],
  };
}

/** Returns true while a merge, rebase, cherry-pick or revert is unfinished in a checkout. */
export function isUnfinished(gitDir: string): boolean {
  return UNFINISHED_FILES.some((name) => existsSync(join(gitDir, name)));
}

interface Head {
  readonly reference: string | undefined;
  /** Undefined if HEAD names a reference. */
  readonly sha: string | undefined;
}

const MAX_HEAD_BYTES = 4096;

function readHead(gitDir: string): Head {
  const file = readRegularFileSync(join(gitDir, 'HEAD'), { maxBytes: MAX_HEAD_BYTES });
  const text = file?.toString('utf8').trim() ?? '';
  return text.startsWith('ref: ')
    ? { reference: text.slice('ref: '.length), sha: undefined }
    : { reference: undefined, sha: /^[0-9a-f]{40,64}$/u.exec(text)?.[0] };
}

/** The result names the branch, so it must exist. Git does nothing if it does. */
async function restoreBranch(
  { baseSha, repository }: LockedWorktree,
  branch: string,
  call: GitOptions,
): Promise<void> {
  const name = `refs/heads/${branch}`;
  const before = repository.references?.get(name) ?? baseSha;
  await git(['update-ref', '--stdin'], { ...call, input: `create ${name} ${before}\n` });
}

interface Searched {
  /** Ids at which HEAD was. */
  readonly heads: ReadonlySet<string>;
  readonly kept: readonly string[];
  readonly head: Head;
}

/** Lists the references, and the detached HEAD, with commits that are on no branch of others. */
async function findWork(
  worktree: LockedWorktree,
  { heads, kept, head }: Searched,
  call: GitOptions,
): Promise<readonly KeptWork[]> {
  const { branch, repository } = worktree;
  const own = `refs/heads/${branch ?? ''}`;
  const listed = await gitOutput(['for-each-ref', '--format=%(objectname) %(*objectname) %(refname)'], call);
  const references = listed.split('\n').map((line) => {
    const [sha = '', peeled = '', from = ''] = line.split(' ');
    return { sha, commit: peeled === '' ? sha : peeled, from };
  });
  // The log can be missing. HEAD itself then shows where the agent is.
  const current = references.find(({ from }) => from === head.reference)?.commit;
  const seen = new Set([...heads, ...(current === undefined ? [] : [current])]);
  const excluded = [`^${own}`, ...foreignRevisions(worktree), ...kept.map((sha) => `^${sha}`)];
  const unknown = await gitOutput(['rev-list', '--ignore-missing', '--stdin'], {
    ...call,
    input: `${[...seen, ...excluded].join('\n')}\n`,
  });
  const added = new Set(unknown.split('\n').filter((sha) => seen.has(sha)));
  const known = new Set(repository.knownTips);
  const work = references
    .filter(({ sha, commit, from }) => from !== own && !known.has(sha) && added.has(commit))
    .filter(({ from }) => !/^refs\/(?:remotes|truecast|stash)(?:\/|$)/u.test(from))
    .map(({ sha, commit, from }) => ({ name: nameOfReference(from), sha, from, commit }));
  const tips = work.map(({ commit }) => commit);
  const isDetached = head.sha !== undefined && added.has(head.sha) && !tips.includes(head.sha);
  const detached = isDetached ? [{ name: DETACHED_HEAD, sha: head.sha, from: 'HEAD' }] : [];
  const left = leftSince(worktree.gitDir, worktree.marks.headLog).filter((sha) => added.has(sha));
  const reached = [
    ...tips,
    ...detached.map(({ sha }) => sha),
    ...excluded.map((sha) => sha.replace('^', '')),
  ];
  return [...work, ...detached, ...(await findLeft(left, reached, call))];
}
