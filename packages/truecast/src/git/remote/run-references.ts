/** References that ended runs left in the clone of an address: their state on the remote, and their removal. */
import { git, gitOutput, type GitCallOptions } from '../command/git.ts';
import { acquireLock, type Lock } from '../command/lock.ts';
import { cloneCall, REMOTE_LOCK_KEY, type RemoteClone } from './remote-clone.ts';
import { BASES, baseReference } from './run-branch.ts';

/** A branch or the base commit of a run. */
export interface LeftReference {
  readonly name: string;
  readonly sha: string;
  /** True if a branch or a tag of the remote has the commit, as of the last fetch. */
  readonly isOnRemote: boolean;
}

/** Prefix of the branches of runs without a name from their client. */
const RUN_BRANCHES = 'refs/heads/truecast/runs/';

/** Lists the ids of runs that have a base commit or a branch in the clone. */
export async function listRunIds(clone: RemoteClone, options: GitCallOptions): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(refname)', BASES, RUN_BRANCHES];
  const listed = await gitOutput(args, cloneCall(clone, options));
  const prefixes = [BASES, RUN_BRANCHES];
  return listed.split('\n').flatMap((name) => {
    const prefix = prefixes.find((each) => name.startsWith(each));
    return prefix === undefined ? [] : [name.slice(prefix.length)];
  });
}

/** Reads the references of a run. Call it under `lockReferences()` before their removal. */
export async function readRunReferences(
  clone: RemoteClone,
  { id, branches }: { readonly id: string; readonly branches: readonly string[] },
  options: GitCallOptions,
): Promise<readonly LeftReference[]> {
  const call = cloneCall(clone, options);
  const names = new Set([baseReference(id), ...branches.map((branch) => `refs/heads/${branch}`)]);
  const listed = await gitOutput(['for-each-ref', '--format=%(objectname) %(refname)', ...names], call);
  const found: LeftReference[] = [];
  for (const line of listed.split('\n')) {
    const [sha = '', name = ''] = line.split(' ');
    // A pattern also matches the names below it.
    if (!names.has(name)) continue;
    const unpushed = ['rev-list', '--max-count=1', sha, '--not', '--remotes', '--tags', '--'];
    const { exitCode, stdout } = await git(unpushed, call);
    found.push({ name, sha, isOnRemote: exitCode === 0 && stdout.trim() === '' });
  }
  return found;
}

/**
 * Locks the references of the clone, or fails at once.
 *
 * @throws RepositoryError `locked` while a run fetches
 */
export function lockReferences({ commonDir, path }: RemoteClone): Promise<Lock> {
  const subject = `The clone \`${path}\``;
  return acquireLock({
    commonDir,
    key: REMOTE_LOCK_KEY,
    subject,
    command: 'remove references',
    now: new Date(),
  });
}

/** Removes all of them, or none if one has moved. Those that are gone stay gone. */
export async function removeRunReferences(
  clone: RemoteClone,
  references: readonly LeftReference[],
  options: GitCallOptions,
): Promise<void> {
  if (references.length === 0) return;
  const input = references.map(({ name, sha }) => `delete ${name} ${sha}\n`).join('');
  await gitOutput(['update-ref', '--stdin'], { ...cloneCall(clone, options), input });
}
