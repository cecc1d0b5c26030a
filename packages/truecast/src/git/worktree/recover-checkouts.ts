/**
 * Recovery of checkouts that a killed run has left half written: a merge is undone, and a worktree
 * without an agent is removed. The user's own changes stay.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { listUnfinished, removeEntry, type JournalEntry } from '../checkout/checkout-journal.ts';
import { listDiffering, undoCheckout } from '../checkout/undo-checkout.ts';
import { findPartial } from '../checkout/partial-files.ts';
import { git, gitOutput, type GitCallOptions, type GitOptions } from '../command/git.ts';
import { MERGE_LOCK_KEY, withLock } from '../command/lock.ts';
import { QUOTED_PATHS } from '../command/quoted-path.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { findGitIn } from '../../process/process-in-folder.ts';
import { isSurelyDead } from '../../process/process-identity.ts';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { worktreesFolder } from '../../support/truecast-folder.ts';
import { removePackedLock, removeStaleLocks } from '../checkout/stale-locks.ts';
import { MIN_FILES_MS, worktreeCommand, findAdminDirectory } from './worktree-list.ts';

export interface RecoverCheckoutsOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly onWarning: (message: string) => void;
}

/**
 * Restores every checkout of the journal whose process has ended. Waits for a git that still writes
 * one. Returns true if there was one.
 *
 * A checkout that cannot be restored causes a warning, and stays in the journal.
 */
export async function recoverCheckouts(options: RecoverCheckoutsOptions): Promise<boolean> {
  const { commonDir } = options.repository;
  await freeShared(options.repository);
  if (listUnfinished(commonDir).length === 0) return false;
  const lock = {
    commonDir,
    key: MERGE_LOCK_KEY,
    subject: 'The merge queue',
    command: 'restore a checkout',
    now: new Date(),
    waitMs: Math.max(options.timeoutMs, MIN_FILES_MS),
    signal: options.signal,
  };
  await withLock(lock, () => recoverLocked(options));
  return true;
}

/** The same, for a caller that holds the lock of merges. */
export async function recoverLocked(options: RecoverCheckoutsOptions): Promise<void> {
  const { repository, onWarning, signal } = options;
  await freeShared(repository);
  for (const entry of listUnfinished(repository.commonDir)) {
    try {
      const message = await recover(entry, options);
      removeEntry(entry);
      if (message !== undefined) onWarning(message);
    } catch (error) {
      signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      onWarning(
        `A killed run has left \`${cut(entry.path)}\` half written, and it could not be restored: ${cut(reason)} The next run tries again.`,
      );
    }
  }
}

/** Returns the warning, if there was something to restore. */
async function recover(entry: JournalEntry, options: RecoverCheckoutsOptions): Promise<string | undefined> {
  const gitDir = await findGitDir(entry, options.repository);
  await waitForGit(entry, options);
  if (gitDir !== undefined) await freeLocks(entry.path, gitDir, options.repository);
  if (entry.kind === 'add') return removeUnfinished(entry, gitDir, options);
  return gitDir === undefined ? undefined : undoMerge(entry, gitDir, options);
}

/** A sandbox of a custom provider can write the journal, so an entry must name a checkout of the repository. */
async function findGitDir(
  { kind, path }: JournalEntry,
  { commonDir, mainTopLevel }: Repository,
): Promise<string | undefined> {
  if (kind === 'merge' && path === mainTopLevel && dirname(commonDir) === path) return commonDir;
  return findAdminDirectory(commonDir, path);
}

const POLL_MS = 50;
/** A git of the user can work in the checkout for longer, for example with an editor. */
const MAX_OTHER_MS = 2_000;

/**
 * Waits for the git of the entry, and for those that it has started. The process id of a git that
 * started just before the kill is not in the journal.
 */
async function waitForGit(
  { kind, path, git: started }: JournalEntry,
  { signal }: RecoverCheckoutsOptions,
): Promise<void> {
  const since = performance.now();
  const isWriting = async (): Promise<boolean> => {
    if (started !== undefined && !isSurelyDead(started)) return true;
    const isOver = kind === 'merge' && performance.now() > since + MAX_OTHER_MS;
    return !isOver && (await findGitIn(path)) !== undefined;
  };
  while (await isWriting()) {
    if (performance.now() > since + MIN_FILES_MS) throw locked('Git still writes it.');
    await sleep(POLL_MS, undefined, { ...(signal !== undefined && { signal }) });
  }
}

/** A git that is killed while it deletes a branch has no entry in the journal. */
function freeShared({ mainTopLevel, commonDir }: Repository): Promise<void> {
  return removePackedLock({ path: mainTopLevel, commonDir });
}

async function freeLocks(path: string, gitDir: string, { commonDir }: Repository): Promise<void> {
  const lock = await removeStaleLocks({ path, gitDir, commonDir });
  if (lock !== undefined) throw locked(`\`${lock}\` exists. If no git works there, delete it.`);
}

function locked(message: string): RepositoryError {
  return new RepositoryError(message, { code: 'locked' });
}

async function undoMerge(
  { path, from, to, tip, branch, startedAtMs }: JournalEntry,
  gitDir: string,
  options: RecoverCheckoutsOptions,
): Promise<string | undefined> {
  const { repository, timeoutMs } = options;
  const call: GitOptions = {
    timeoutMs: Math.max(timeoutMs, MIN_FILES_MS),
    cwd: path,
    paths: { gitDir, commonDir: repository.commonDir, workTree: path },
    config: (await repository.trustedConfig()).hostFilters,
  };
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], call);
  // Git moves HEAD last. Otherwise the user has moved it since.
  if (head.stdout.trim() !== from) return undefined;
  const count = await undoCheckout(
    { topLevel: path, from, to, stderr: '', killedSinceMs: startedAtMs },
    call,
  );
  forgetMerge(gitDir, tip);
  if (count === 0) return undefined;
  return `A killed run had started to merge \`${branch}\` into \`${path}\`. ${count} files were restored, and your own changes are unchanged. The branch is kept. To merge it, run \`git merge ${branch}\` there.`;
}

/** Removes the state of the killed merge, but not of one that the user has started since. */
function forgetMerge(gitDir: string, tip: string): void {
  const file = join(gitDir, 'MERGE_HEAD');
  if (readRegularFileSync(file, { maxBytes: 4096 })?.toString('utf8').trim() !== tip) return;
  for (const name of ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE']) {
    rmSync(join(gitDir, name), { force: true });
  }
}

/** No agent has started in the worktree, so only the user can have changed a file in it. */
async function removeUnfinished(
  entry: JournalEntry,
  gitDir: string | undefined,
  options: RecoverCheckoutsOptions,
): Promise<string | undefined> {
  const { repository } = options;
  const { path, branch, isNewBranch, to } = entry;
  if (dirname(path) !== worktreesFolder(repository.mainTopLevel)) return undefined;
  const own = await findOwn(entry, options);
  if (own.length > 0) {
    return `A killed run had started to write the worktree \`${path}\`. It is kept, because it contains other files: ${own
      .slice(0, 5)
      .map((file) => `\`${cut(file)}\``)
      .join(', ')}. Other files of the branch can be missing in it.`;
  }
  const isThere = existsSync(path);
  if (gitDir !== undefined) {
    const removed = await worktreeCommand(repository, ['remove', '--force', '--force', path], options);
    if (removed.exitCode !== 0) rmSync(gitDir, { recursive: true, force: true });
  }
  if (existsSync(path)) await removeTree(path);
  if (isNewBranch) {
    await git(['update-ref', '-d', `refs/heads/${branch}`, to], {
      ...options,
      cwd: repository.topLevel,
      paths: pathsOf(repository),
    });
  }
  return isThere
    ? `A killed run had started to write the worktree \`${basename(path)}\`. It was removed: no agent had worked in it.`
    : undefined;
}

/** Returns the files whose content is neither that of the commit nor its beginning. */
async function findOwn(
  { path, to, startedAtMs }: JournalEntry,
  { repository, timeoutMs }: RecoverCheckoutsOptions,
): Promise<readonly string[]> {
  if (!existsSync(path) || readdirSync(path).every((name) => name === '.git')) return [];
  const folder = await makeTemporaryFolder('recover');
  try {
    const call: GitOptions = {
      timeoutMs: Math.max(timeoutMs, MIN_FILES_MS),
      cwd: path,
      paths: { ...pathsOf(repository), workTree: path },
      config: [...(await repository.trustedConfig()).hostFilters, QUOTED_PATHS],
      indexFile: join(folder, 'index'),
    };
    await gitOutput(['read-tree', to], call);
    const [differing, others] = [await listDiffering(call), await gitOutput(['ls-files', '--others'], call)];
    const present = [...differing];
    const deleted = new Set((await gitOutput(['ls-files', '--deleted'], call)).split('\n'));
    const changed = present.filter((file) => !deleted.has(file));
    const partial = new Set(
      await findPartial(changed, { topLevel: path, sinceMs: startedAtMs, folder }, call),
    );
    return [...changed.filter((file) => !partial.has(file)), ...others.split('\n')].filter(
      (file) => file !== '' && file !== '.git',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
