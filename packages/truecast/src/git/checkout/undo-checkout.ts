/**
 * Undo of a checkout that git has started and not finished, for example because a path is too long
 * for the file system, or because git was killed. HEAD has not changed.
 */
import { lstat, readlink, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import { git, gitOutput, type GitOptions } from '../command/git.ts';
import { QUOTED_PATHS, systemPath, unquotePath } from '../command/quoted-path.ts';
import { findPartial } from './partial-files.ts';

export interface UnfinishedCheckout {
  readonly topLevel: string;
  /** Commit that is still checked out. */
  readonly from: string;
  /** Commit or tree whose files git has started to write. */
  readonly to: string;
  /** Messages of git. */
  readonly stderr: string;
  /**
   * Start of a git that was killed. The last file that it wrote can be incomplete. Undefined if git
   * ended by itself.
   */
  readonly killedSinceMs?: number | undefined;
}

/** Git names the user's files that are in the way before it writes anything. */
const NOTHING_WRITTEN = /would be (overwritten|removed)|not uptodate|lose untracked files/u;

/**
 * Removes and restores what git has written, in the files and in the index. Returns the number of
 * files that it restored or removed.
 *
 * A file counts as written if its content is that of `to`, so no content is lost. After a kill, the
 * start of that content counts too. All other files are the user's, and stay.
 */
export async function undoCheckout(
  { topLevel, from, to, stderr, killedSinceMs }: UnfinishedCheckout,
  options: GitOptions,
): Promise<number> {
  if (NOTHING_WRITTEN.test(stderr)) return 0;
  const call = { ...options, config: [...(options.config ?? []), QUOTED_PATHS] };
  const changes = await listChanges(from, to, call);
  if (killedSinceMs !== undefined) await restoreIndex(changes, call);
  const written = await findWritten(changes, { topLevel, killedSinceMs }, call);
  const added = changes.filter(({ isAdded }) => isAdded);
  for (const { path } of added) await removeAdded(topLevel, path, written.has(path));
  const existing = changes.filter(({ isAdded }) => !isAdded);
  const isMissing = await Promise.all(existing.map(async ({ path }) => !(await isThere(topLevel, path))));
  const restored = existing.filter(({ path }, index) => written.has(path) || isMissing[index]);
  const count = restored.length + added.filter(({ path }) => written.has(path)).length;
  if (restored.length === 0) return count;
  const input = restored.map(({ path }) => `${path}\n`).join('');
  await git(['checkout-index', '--quiet', '--force', '--stdin'], { ...call, input });
  return count;
}

/** Git writes the index after the files, and HEAD after the index. */
async function restoreIndex(changes: readonly Change[], call: GitOptions): Promise<void> {
  const listed = await gitOutput(['ls-files', '--stage'], call);
  const staged = new Map(
    listed.split('\n').map((line) => {
      const [mode = '', id = ''] = line.split(' ');
      return [line.slice(line.indexOf('\t') + 1), `${mode} ${id}`];
    }),
  );
  // The index is replaced as a whole. Other entries are what the user has staged.
  const isReplaced = changes.every(({ path, newMode, newId }) =>
    newMode === ABSENT ? !staged.has(path) : staged.get(path) === `${newMode} ${newId}`,
  );
  if (!isReplaced) return;
  const lines = changes.map(
    ({ path, oldMode, oldId }) => `${oldMode === ABSENT ? '0' : oldMode} ${oldId}\t${path}\n`,
  );
  await gitOutput(['update-index', '--index-info'], { ...call, input: lines.join('') });
}

interface Change {
  /** As git quotes it. */
  readonly path: string;
  readonly oldMode: string;
  readonly oldId: string;
  readonly newMode: string;
  readonly newId: string;
  readonly isAdded: boolean;
}

const ABSENT = '000000';

async function listChanges(from: string, to: string, call: GitOptions): Promise<readonly Change[]> {
  const args = ['diff-tree', '-r', '--raw', '--no-abbrev', '--no-renames', from, to];
  const lines = (await gitOutput(args, call)).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const end = line.indexOf('\t');
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = line.slice(1, end).split(' ');
    return { path: line.slice(end + 1), oldMode, oldId, newMode, newId, isAdded: oldMode === ABSENT };
  });
}

/** Returns the paths whose file is that of `to`, or the start of it after a kill. */
async function findWritten(
  changes: readonly Change[],
  { topLevel, killedSinceMs }: Pick<UnfinishedCheckout, 'topLevel' | 'killedSinceMs'>,
  call: GitOptions,
): Promise<ReadonlySet<string>> {
  const present = changes.filter(({ newMode }) => newMode !== ABSENT);
  const folder = await makeTemporaryFolder('undo');
  try {
    const indexed = { ...call, indexFile: join(folder, 'index') };
    const input = present.map(({ newMode, newId, path }) => `${newMode} ${newId}\t${path}\n`).join('');
    await gitOutput(['update-index', '--index-info'], { ...indexed, input });
    const differing = await listDiffering(indexed);
    const partial =
      killedSinceMs === undefined
        ? []
        : await findPartial([...differing], { topLevel, sinceMs: killedSinceMs, folder }, indexed);
    const written = present.map(({ path }) => path).filter((path) => !differing.has(path));
    return new Set([...written, ...partial]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the paths whose file is not that of the index, as git quotes them. */
export async function listDiffering(call: GitOptions): Promise<ReadonlySet<string>> {
  // Exits with 1 if a file differs.
  await git(['update-index', '-q', '--refresh'], call);
  const listed = await gitOutput(['diff-files', '--name-only', '--ignore-submodules=all'], call);
  return new Set(listed.split('\n').filter((path) => path !== ''));
}

/** Removes a file if git wrote it, and the folders that are empty without it. */
async function removeAdded(topLevel: string, path: string, isWritten: boolean): Promise<void> {
  const folders: Buffer[] = [];
  for (let folder = dirname(unquotePath(path)); folder !== '.'; folder = dirname(folder)) {
    folders.push(systemPath(topLevel, folder));
  }
  // A link of the user could lead out of the checkout. Git writes nothing behind one.
  if ((await Promise.all(folders.map(isLink))).includes(true)) return;
  if (isWritten) await unlink(systemPath(topLevel, unquotePath(path))).catch(() => undefined);
  // A folder with files of the user stays. The deepest ones can be missing.
  for (const folder of folders) await rmdir(folder).catch(() => undefined);
}

async function isLink(path: Buffer): Promise<boolean> {
  return (await readlink(path).catch(() => undefined)) !== undefined;
}

async function isThere(topLevel: string, path: string): Promise<boolean> {
  return (await lstat(systemPath(topLevel, unquotePath(path))).catch(() => undefined)) !== undefined;
}
