/** Recovers guests' work after a kill, from the git stores of earlier runs. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { branchLockKey } from '../../git/command/branch-name.ts';
import { readOwner } from '../../git/checkout/lock-reason.ts';
import { acquireLock, type Lock } from '../../git/command/lock.ts';
import { isSurelyDead } from '../../process/process-identity.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { listStores, removeIncompleteStores } from '../../guest-git/guest-git.ts';
import { writeRecord, type GuestStore } from '../../guest-git/store/guest-store.ts';
import type { OwnGitCreateOptions, OwnGitHandle } from '../../ports/own-git.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

export interface RecoverGuestsOptions {
  readonly repository: Repository;
  /** The sandbox of the new run, in which the stores are mounted. */
  readonly sandbox: SandboxProvider;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/**
 * Recovers the work of killed runs before their worktrees are reused. No agent runs, and there is
 * no network.
 *
 * A store that cannot be recovered causes a warning and is kept. Rejects only with the signal's
 * reason. Returns true if there was a store of a killed run. Its recovery can have moved
 * references.
 */
export async function recoverGuests(options: RecoverGuestsOptions): Promise<boolean> {
  const { repository, sandbox, signal, warn } = options;
  await removeIncompleteStores(repository.commonDir);
  const left = listStores(repository.commonDir).filter(isLeft);
  for (const store of left) {
    const lock = await lockOfStore(store);
    if (lock === undefined) continue;
    try {
      if (sandbox.tag === 'bind-mount' && sandbox.hasOwnGit === true) await recover(store, options);
      else {
        warn(
          `\`${store.folder}\` contains the work of a killed run. Start a run with \`bubblewrap()\`, \`podman()\` or \`docker()\` to recover it.`,
        );
      }
    } catch (error) {
      signal.throwIfAborted();
      // A rejected store would be rejected again. If the sandbox is missing, the next run can
      // retry.
      if (SandboxError.isInstance(error) && error.code === 'sync') {
        writeRecord({ ...store, isKeptForUser: true });
      }
      warn(error instanceof Error ? error.message : String(error));
    } finally {
      await lock.release();
    }
  }
  return left.length > 0;
}

/** The work of a read-only run is thrown away with its worktree. */
function isLeft({ isAbandoned, isKeptForUser, isUnfinished, owner, gitDir }: GuestStore): boolean {
  if (isKeptForUser || readOwner(gitDir).isThrownAway) return false;
  return isAbandoned || (!isUnfinished && isSurelyDead(owner));
}

/** Returns the lock of the run that used the store, or undefined while another run holds it. */
export async function lockOfStore({
  branch,
  gitDir,
  commonDir,
  worktreePath,
}: GuestStore): Promise<Lock | undefined> {
  const isOfRun = worktreePath.includes(join(sep, '.truecast', 'worktrees', sep));
  const name = branch?.replace('refs/heads/', '');
  const key = isOfRun && name !== undefined ? branchLockKey(name) : `checkout:${gitDir}`;
  const subject = `The git store of a killed run`;
  try {
    return await acquireLock({ commonDir, key, subject, command: 'recover a killed run', now: new Date() });
  } catch (error) {
    if (RepositoryError.isInstance(error) && error.code === 'locked') return undefined;
    throw error;
  }
}

async function recover(store: GuestStore, options: RecoverGuestsOptions): Promise<void> {
  const { repository, sandbox, signal, warn } = options;
  const { gitDir, commonDir, folder } = store;
  const creation: OwnGitCreateOptions = {
    worktreePath: await worktreeOf(store),
    hostRepoPath: repository.mainTopLevel,
    mounts: [],
    env: {},
    git: { gitDir, commonDir, recoveredStore: folder },
    signal,
  };
  const handle: OwnGitHandle = await sandbox.create(creation);
  try {
    const handed = await handle.handOver?.();
    for (const message of handed?.warnings ?? []) warn(message);
  } finally {
    await handle.close();
  }
}

/** Returns the worktree, or an empty folder if it was removed. */
async function worktreeOf({ worktreePath, folder }: GuestStore): Promise<string> {
  if (existsSync(worktreePath)) return worktreePath;
  const empty = join(folder, 'worktree');
  await mkdir(empty, { recursive: true });
  return empty;
}
