/**
 * Atomic transfer of a guest's work into the host's worktree. Concurrent changes of the user are
 * never overwritten.
 *
 * dry run of the files → move references with compare-and-swap → write files → set the index as
 * inside
 */
import { join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import {
  describeRecovered,
  keepAside,
  nameOfReference,
  type KeptWork,
} from '../../git/recovered/keep-aside.ts';
import { withOwnIndex } from './carry-files.ts';
import { type RemoteWorktreeState, describeStaying, fingerprint, type SyncedState } from './guest-state.ts';
import { callOf, resolveObject, runGit, tryGit, type HostWorktree } from './host-worktree.ts';
import { findLeftOut, type LeftOut } from './outside-links.ts';

export interface ApplyOptions {
  readonly host: HostWorktree;
  readonly before: SyncedState;
  readonly guest: RemoteWorktreeState;
  /** A folder for temporary files. */
  readonly folder: string;
  readonly id: string;
}

export interface AppliedWork {
  readonly state: SyncedState;
  readonly leftOut: LeftOut;
  /** The agent's work outside of the run's branch. */
  readonly recovered: readonly RecoveredRef[];
  readonly warnings: readonly string[];
}

/**
 * Updates branch, HEAD, files and index of the host's worktree to the guest's state.
 *
 * @throws SandboxError `sync`, RepositoryError: files that were changed on both sides, or a branch
 *   that moved on the host
 */
export async function applyWork(options: ApplyOptions): Promise<AppliedWork> {
  const { host, before, guest, folder } = options;
  await assertArrived(host, guest);
  const headSha = guest.headSha ?? before.headSha;
  const leftOut = await findLeftOut(host, {
    head: `${headSha}^{tree}`,
    before: before.filesTree,
    files: guest.filesTree,
  });
  const paths = [...leftOut.links.map(({ path }) => path), ...leftOut.repositories];
  const filesTree = await withoutPaths(host, guest.filesTree, paths, folder);
  const moved = await withOwnIndex(host, folder, async (indexFile) => {
    await runGit(host, ['read-tree', '--reset', before.filesTree], { indexFile });
    await tryGit(host, ['update-index', '-q', '--refresh'], { indexFile });
    const merge = ['-m', '-u', before.filesTree, filesTree];
    await runGit(host, ['read-tree', '-n', ...merge], { indexFile });
    const references = await moveReferences(options, headSha);
    await runGit(host, ['read-tree', ...merge], { indexFile });
    return references;
  });
  await setIndex(host, guest.indexTree);
  return {
    leftOut,
    recovered: moved.recovered,
    warnings: [...describeRecovered(moved.recovered), ...describeStaying(guest, before.stays)],
    state: {
      headSha,
      branch: moved.branch,
      filesTree,
      seen: fingerprint(guest),
      stays: { isUnfinished: guest.isUnfinished, stashCount: guest.stashCount },
      branches: moved.branches,
      tips: [...new Set([...before.tips, headSha, ...guest.branches.values()])],
    },
  };
}

/** Asserts that all objects of the guest's state have arrived and are complete. */
async function assertArrived(host: HostWorktree, guest: RemoteWorktreeState): Promise<void> {
  const needed = [guest.headSha, ...guest.branches.values()].filter((sha) => sha !== undefined);
  for (const sha of needed) {
    if ((await resolveObject(host, `${sha}^{commit}`)) === sha) continue;
    throw new SandboxError(
      `The commit \`${sha}\` is missing from the sandbox's bundle. Fetch from the saved bundle by hand.`,
      { code: 'sync' },
    );
  }
  if ((await resolveObject(host, `${guest.carrierSha}^{tree}`)) === guest.filesTree) return;
  throw new SandboxError(
    'The files in the bundle differ from those that the sandbox reported. Inspect the bundle.',
    {
      code: 'sync',
    },
  );
}

async function withoutPaths(
  host: HostWorktree,
  tree: string,
  paths: readonly string[],
  folder: string,
): Promise<string> {
  if (paths.length === 0) return tree;
  const indexFile = join(folder, 'left-out-index');
  await runGit(host, ['read-tree', tree], { indexFile });
  await runGit(host, ['update-index', '--force-remove', '-z', '--stdin'], {
    indexFile,
    input: paths.map((path) => `${path}\0`).join(''),
  });
  return runGit(host, ['write-tree'], { indexFile });
}

interface MovedReferences {
  readonly branch: string | undefined;
  readonly branches: ReadonlyMap<string, string>;
  readonly recovered: readonly RecoveredRef[];
}

async function moveReferences(options: ApplyOptions, headSha: string): Promise<MovedReferences> {
  const { host, before, guest, id } = options;
  const kept: KeptWork[] = [];
  for (const [name, sha] of guest.branches) {
    const seen = before.branches.get(name);
    if (sha === seen) continue;
    const from = `refs/heads/${name}`;
    if (name === before.branch) await runGit(host, ['update-ref', from, sha, seen ?? '']);
    else kept.push({ name: nameOfReference(from), sha, from });
  }
  const recovered = await keepAside({ id, kept }, callOf(host));
  assertKept(kept, recovered);
  const branch = await moveHead(options, headSha);
  // A branch that was kept is not kept again until it moves.
  return { branch, branches: new Map([...before.branches, ...guest.branches]), recovered };
}

function assertKept(kept: readonly KeptWork[], recovered: readonly RecoveredRef[]): void {
  if (recovered.length === kept.length) return;
  throw new SandboxError(
    `Of ${kept.length} branches of the agent only ${recovered.length} could be kept. Fetch the others from the saved bundle by hand.`,
    { code: 'sync' },
  );
}

async function moveHead({ host, before, guest }: ApplyOptions, headSha: string): Promise<string | undefined> {
  const { branch } = guest;
  if (guest.headSha === undefined) return before.branch;
  if (branch !== undefined && branch === before.branch) return branch;
  // Another branch can be checked out elsewhere, or belong to the user.
  await runGit(host, ['update-ref', '--no-deref', 'HEAD', headSha]);
  return undefined;
}

async function setIndex(host: HostWorktree, tree: string): Promise<void> {
  await runGit(host, ['read-tree', '--reset', tree]);
  // Exits with 1 if files differ from the index, which is not a failure.
  await tryGit(host, ['update-index', '-q', '--refresh']);
}
