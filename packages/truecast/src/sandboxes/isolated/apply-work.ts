/**
 * Atomic transfer of a guest's work into the host's worktree. Concurrent changes of the user are
 * never overwritten.
 *
 * dry run of the files → move references with compare-and-swap → write files → set the index as
 * inside
 */
import { join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { withOwnIndex } from './carry-files.ts';
import type { RemoteWorktreeState } from './guest-state.ts';
import { resolveObject, runGit, tryGit, type HostWorktree } from './host-worktree.ts';
import { findLeftOut, type LeftOut } from './outside-links.ts';
import { fingerprint, type SyncedState } from './synced-state.ts';

/** Options of `applyWork`. */
export interface ApplyOptions {
  readonly host: HostWorktree;
  readonly before: SyncedState;
  readonly guest: RemoteWorktreeState;
  /** A folder for temporary files. */
  readonly folder: string;
  readonly id: string;
}

/** Result of `applyWork`. */
export interface AppliedWork {
  readonly state: SyncedState;
  readonly leftOut: LeftOut;
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
    warnings: moved.warnings,
    state: {
      headSha,
      branch: moved.branch,
      filesTree,
      seen: fingerprint(guest),
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
  readonly warnings: readonly string[];
}

async function moveReferences(options: ApplyOptions, headSha: string): Promise<MovedReferences> {
  const { host, before, guest } = options;
  const branches = new Map(before.branches);
  const warnings: string[] = [];
  for (const [name, sha] of guest.branches) {
    const seen = branches.get(name);
    if (sha === seen) continue;
    const isOwn = name === before.branch;
    const isNew = seen === undefined && (await resolveObject(host, `refs/heads/${name}`)) === undefined;
    if (isOwn || isNew) {
      await runGit(host, ['update-ref', `refs/heads/${name}`, sha, seen ?? '']);
      branches.set(name, sha);
    } else {
      warnings.push(await keepAside(options, name, sha));
    }
  }
  const branch = await moveHead(options, headSha, branches);
  return { branch, branches, warnings };
}

/**
 * Stores the commits under a separate reference. The guest must not move a branch that others use.
 */
async function keepAside({ host, id }: ApplyOptions, name: string, sha: string): Promise<string> {
  const reference = `refs/truecast/recovered/${id}/${name}`;
  await runGit(host, ['update-ref', reference, sha]);
  return `The agent moved the branch \`${name}\`, which does not belong to the run. Its commits are kept as \`${reference}\`, and the branch is unchanged.`;
}

async function moveHead(
  { host, before, guest }: ApplyOptions,
  headSha: string,
  branches: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { branch } = guest;
  if (guest.headSha === undefined) return before.branch;
  if (branch !== undefined && branch === before.branch) return branch;
  // Another branch can be checked out elsewhere, or belong to the user. Detach HEAD at the commit
  // instead.
  const isHost = branch !== undefined && branches.get(branch) === headSha && !before.branches.has(branch);
  if (isHost) await runGit(host, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  else await runGit(host, ['update-ref', '--no-deref', 'HEAD', headSha]);
  return isHost ? branch : undefined;
}

async function setIndex(host: HostWorktree, tree: string): Promise<void> {
  await runGit(host, ['read-tree', '--reset', tree]);
  // Exits with 1 if files differ from the index, which is not a failure.
  await tryGit(host, ['update-index', '-q', '--refresh']);
}
