/**
 * Carrier commits for uncommitted work: a commit of all files, whose parent is a commit of the
 * index, whose parent is HEAD. Git therefore transfers deletions, binary files, modes and symbolic
 * links, and validates each name.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyRegularFileSync } from '../../support/regular-file-sync.ts';
import { CARRIER_IDENTITY, resolveObject, runGit, tryGit, type HostWorktree } from './host-worktree.ts';

/** State of a checkout as git objects. */
export interface CarriedFiles {
  readonly headSha: string;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  readonly indexTree: string;
  readonly filesTree: string;
  /** Id of the carrier commit. */
  readonly carrierSha: string;
}

/**
 * Writes the state of the host's worktree into its repository. The checkout and its index stay
 * unchanged.
 */
export async function carryFiles(host: HostWorktree, folder: string): Promise<CarriedFiles> {
  const headSha = await runGit(host, ['rev-parse', '--verify', 'HEAD^{commit}']);
  const symbolic = await tryGit(host, ['symbolic-ref', '--quiet', 'HEAD']);
  const reference = symbolic.exitCode === 0 ? symbolic.stdout.trim() : '';
  const headTree = (await resolveObject(host, 'HEAD^{tree}')) ?? '';
  // During a merge, the index has no tree.
  const index = await tryGit(host, ['write-tree']);
  const indexTree = index.exitCode === 0 ? index.stdout.trim() : headTree;
  const filesTree = await withOwnIndex(host, folder, async (indexFile) => {
    await runGit(host, ['add', '--all', '--', '.'], { indexFile });
    return runGit(host, ['write-tree'], { indexFile });
  });
  const indexSha = await commitTree(host, indexTree, headSha);
  const carrierSha = await commitTree(host, filesTree, indexSha);
  const prefix = 'refs/heads/';
  const branch = reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
  return { headSha, branch, indexTree, filesTree, carrierSha };
}

/** Runs a task with a copy of the checkout's index, which caches the file states on disk. */
export async function withOwnIndex<T>(
  host: HostWorktree,
  folder: string,
  use: (indexFile: string) => Promise<T>,
): Promise<T> {
  const indexFile = join(folder, 'index');
  copyRegularFileSync(join(host.paths.gitDir, 'index'), indexFile);
  try {
    return await use(indexFile);
  } finally {
    await rm(indexFile, { force: true });
  }
}

function commitTree(host: HostWorktree, tree: string, parent: string): Promise<string> {
  return runGit(host, ['commit-tree', tree, '-p', parent, '-m', 'files'], { config: CARRIER_IDENTITY });
}
