/** Branch of a run in the clone of an address: its start, and its state on the remote. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { assertBranchName } from '../command/branch-name.ts';
import { containsCommit, findCommit } from '../command/find-commit.ts';
import { gitOutput, type GitCallOptions, type GitOptions } from '../command/git.ts';
import { cloneCall, locked, TRACKING, updateClone, type RemoteClone } from './remote-clone.ts';

/** Time in which a clone is not fetched again. */
const FRESH_MS = 10_000;

/** A branch that a run is about to work on. */
export interface RunBranch {
  /** Names the kept base. */
  readonly id: string;
  readonly branch: string;
  /** Branch, tag or commit at which a new branch begins. @default the remote's HEAD */
  readonly ref?: string | undefined;
}

/**
 * Fetches, and brings the branch to its state on the remote. Returns the reference of the base commit: it has the
 * same name in each execution, and keeps the commit.
 *
 * @returns undefined for the remote's HEAD
 * @throws RepositoryError `invalid-branch` if the remote has no such `ref`, or if the branch has diverged; the
 *   errors of `updateClone()`
 */
export async function prepareBranch(
  clone: RemoteClone,
  { id, branch, ref }: RunBranch,
  options: GitCallOptions,
): Promise<string | undefined> {
  assertBranchName(branch);
  await updateClone(clone, { ...options, notBefore: Date.now() - FRESH_MS });
  const call = cloneCall(clone, options);
  await locked(clone, options, () => followRemote(clone, branch, call));
  if (ref === undefined) return undefined;
  const base = baseReference(id);
  const commit = (await resolve(ref, call)) ?? (await fetchAndResolve(clone, ref, options));
  if (commit === undefined) {
    throw new RepositoryError(
      `Expected \`ref\` to be a branch, a tag or a commit of the remote repository, got \`${cut(ref)}\`. Push it, or send another \`ref\`.`,
      { code: 'invalid-branch' },
    );
  }
  await gitOutput(['update-ref', base, commit], call);
  return base;
}

/** Prefix of the kept base commits. */
export const BASES = 'refs/truecast/bases/';

/** Returns the reference that `prepareBranch()` returned for a run. */
export function baseReference(id: string): string {
  return `${BASES}${id}`;
}

/**
 * Fetches a branch that a worker of another machine has pushed, and brings it into this clone. Returns its tip,
 * which is `sha` or later.
 *
 * @throws RepositoryError `invalid-branch` if the remote's branch does not have the commit; the errors of
 *   `updateClone()`
 */
export async function fetchPushedBranch(
  clone: RemoteClone,
  { branch, sha }: { readonly branch: string; readonly sha: string },
  options: GitCallOptions,
): Promise<string> {
  await updateClone(clone, { ...options, notBefore: Date.now() });
  const call = cloneCall(clone, options);
  const tip = await findCommit(`${TRACKING}${branch}`, call);
  if (tip === undefined || !(await containsCommit({ older: sha, newer: tip }, call))) {
    throw new RepositoryError(
      `Expected the remote's branch \`${branch}\` to have the pushed commit ${sha}. Another program has moved or deleted it. Restore it, or create the run again.`,
      { code: 'invalid-branch' },
    );
  }
  await locked(clone, options, () => followRemote(clone, branch, call));
  return tip;
}

/** A commit that was pushed a moment ago. */
async function fetchAndResolve(
  clone: RemoteClone,
  ref: string,
  options: GitCallOptions,
): Promise<string | undefined> {
  await updateClone(clone, { ...options, notBefore: Date.now() });
  return resolve(ref, cloneCall(clone, options));
}

/** The remote's branches come first: those of the clone are of runs. */
async function resolve(ref: string, call: GitOptions): Promise<string | undefined> {
  return (await findCommit(`${TRACKING}${ref}`, call)) ?? (await findCommit(ref, call));
}

/** Creates the clone's branch from the remote's, or fast-forwards it. Unpushed commits stay. */
async function followRemote(clone: RemoteClone, branch: string, call: GitOptions): Promise<void> {
  const name = `refs/heads/${branch}`;
  const remote = await findCommit(`${TRACKING}${branch}`, call);
  if (remote === undefined) return;
  const own = await findCommit(name, call);
  if (own !== undefined && (await containsCommit({ older: remote, newer: own }, call))) return;
  const isBehind = own === undefined || (await containsCommit({ older: own, newer: remote }, call));
  if (!isBehind) throw diverged(clone, branch);
  // A worktree of another run, or one that a failed run left, would differ from its branch.
  if (own !== undefined && (await isCheckedOut(name, call))) return;
  await gitOutput(['update-ref', name, remote, own ?? ''], call);
}

async function isCheckedOut(name: string, call: GitOptions): Promise<boolean> {
  const stdout = await gitOutput(['worktree', 'list', '--porcelain'], call);
  return stdout.split('\n').includes(`branch ${name}`);
}

function diverged({ path }: RemoteClone, branch: string): RepositoryError {
  return new RepositoryError(
    `The branch \`${branch}\` has commits on this machine that the remote's branch does not have, and the other way round. Merge them in \`${path}\` and push them, or send another \`branch\`.`,
    { code: 'invalid-branch' },
  );
}
