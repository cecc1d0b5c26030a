/**
 * Push of a run's branch by compare-and-swap: the remote accepts it only if its branch is where this run left it.
 * So git fences a worker that has lost its run.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { containsCommit, findCommit } from '../command/find-commit.ts';
import { git, type GitCallOptions, type GitOptions, type GitResult } from '../command/git.ts';
import { cloneCall, TRACKING, type RemoteClone } from './remote-clone.ts';
import { remoteGit } from './remote-call.ts';

/** Commits to push. */
export interface BranchPush {
  readonly branch: string;
  readonly tip: string;
  /** Commit before the first agent, which the tip must contain. */
  readonly base: string;
  /** Last commit that this run has pushed. @default none */
  readonly pushed?: string | undefined;
}

/** Result of a push. `detail` can quote the remote. */
export type PushOutcome =
  | { readonly status: 'pushed' }
  /** The remote answered. `branch_moved`: it has commits that the run's branch does not have. */
  | {
      readonly status: 'rejected';
      readonly reason: 'branch_moved' | 'history_rewritten' | 'refused_by_remote';
      readonly detail: string;
      /** True if another try can succeed. */
      readonly isTransient?: boolean;
    }
  | { readonly status: 'failed'; readonly reason: 'push_failed' | 'timeout'; readonly detail: string };

/** Arguments of a push of one commit to one branch. Hooks of the host do not run. */
export function pushArguments(
  remote: string,
  { tip, branch }: Pick<BranchPush, 'tip' | 'branch'>,
  flags: readonly string[] = ['--quiet'],
): readonly ['push', ...string[]] {
  const target = `${tip}:refs/heads/${branch}`;
  return ['push', ...flags, '--no-verify', '--no-recurse-submodules', remote, target];
}

/** Pushes once. Rejects only with the signal's reason. */
export async function pushBranch(
  clone: RemoteClone,
  push: BranchPush,
  options: GitCallOptions,
): Promise<PushOutcome> {
  const call = cloneCall(clone, options);
  const { branch, tip, base, pushed } = push;
  try {
    if (!(await containsCommit({ older: base, newer: tip }, call))) return rewritten(push);
    const known = await findCommit(`${TRACKING}${branch}`, call);
    const expected = pushed ?? known;
    if (
      expected !== undefined &&
      expected !== pushed &&
      !(await containsCommit({ older: expected, newer: tip }, call))
    ) {
      return moved(push);
    }
    const first = await pushFrom(clone, push, expected, call);
    if (first.status !== 'rejected' || first.reason !== 'branch_moved') return first;
    // An earlier execution can have pushed without the note of it. Its commits are in this branch.
    const current = await readRemoteTip(clone, branch, call);
    if (current === undefined || !(await isOwnCommit(current, push, call))) return first;
    return await pushFrom(clone, push, current, call);
  } catch (error) {
    if (options.signal?.aborted === true || !RepositoryError.isInstance(error)) throw error;
    const reason = error.code === 'timeout' ? 'timeout' : 'push_failed';
    return { status: 'failed', reason, detail: error.message };
  }
}

async function pushFrom(
  { remote }: RemoteClone,
  push: BranchPush,
  expected: string | undefined,
  call: GitOptions,
): Promise<PushOutcome> {
  const { branch, tip } = push;
  const lease = `--force-with-lease=refs/heads/${branch}:${expected ?? ''}`;
  const flags = ['--porcelain', '--no-follow-tags', '--no-signed', lease];
  const result = await remoteGit(pushArguments(remote.url, push, flags), remote, call);
  if (result.exitCode !== 0) return judgePush(result, push);
  await git(['update-ref', `${TRACKING}${branch}`, tip], call);
  return { status: 'pushed' };
}

/** Decides why a push failed, from git's porcelain output. */
function judgePush({ stdout, stderr }: GitResult, push: Pick<BranchPush, 'branch'>): PushOutcome {
  const [, kind = '', reason = ''] = /^!\t[^\t]*\t\[([^\]]*)\] ?(?:\((.*)\))?/mu.exec(stdout) ?? [];
  if (kind === 'rejected') return moved(push);
  const detail = cut(stderr.trim());
  if (kind !== 'remote rejected') return { status: 'failed', reason: 'push_failed', detail };
  // The branch moved while the remote worked.
  if (/incorrect old value|stale/u.test(reason)) return moved(push);
  const isTransient = /lock|unpacker|failed to update|internal/u.test(reason);
  return {
    status: 'rejected',
    reason: 'refused_by_remote',
    detail: `${cut(reason)}: ${detail}`,
    ...(isTransient && { isTransient }),
  };
}

/** True for a commit that only this run can have pushed: it is on its branch. */
async function isOwnCommit(commit: string, { base, tip }: BranchPush, call: GitOptions): Promise<boolean> {
  return (
    (await containsCommit({ older: base, newer: commit }, call)) &&
    containsCommit({ older: commit, newer: tip }, call)
  );
}

async function readRemoteTip(
  { remote }: RemoteClone,
  branch: string,
  call: GitOptions,
): Promise<string | undefined> {
  const name = `refs/heads/${branch}`;
  const { exitCode, stdout } = await remoteGit(['ls-remote', '--', remote.url, name], remote, call);
  if (exitCode !== 0) return undefined;
  return stdout
    .split('\n')
    .find((line) => line.endsWith(`\t${name}`))
    ?.split('\t')[0];
}

function moved({ branch }: Pick<BranchPush, 'branch'>): PushOutcome {
  return {
    status: 'rejected',
    reason: 'branch_moved',
    detail: `The remote's branch \`${branch}\` is not where this run left it.`,
  };
}

function rewritten({ branch, base }: BranchPush): PushOutcome {
  return {
    status: 'rejected',
    reason: 'history_rewritten',
    detail: `The branch \`${branch}\` does not contain ${base}, the commit at which the run began.`,
  };
}
