/**
 * Undo of a checkout that git has started and not finished, for example because a path is too long
 * for the file system. HEAD and the index have not changed.
 */
import { lstat, readlink, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import { git, gitOutput, type GitOptions } from '../command/git.ts';

/** The checkout that was not finished. */
export interface UnfinishedCheckout {
  readonly topLevel: string;
  /** Commit that is still checked out. */
  readonly from: string;
  /** Commit or tree whose files git has started to write. */
  readonly to: string;
  /** Messages of git. */
  readonly stderr: string;
}

/** Git names the user's files that are in the way before it writes anything. */
const NOTHING_WRITTEN = /would be (overwritten|removed)|not uptodate|lose untracked files/u;

/**
 * Removes and restores what git has written. A file counts as written if its content is that of
 * `to`, so no content is lost. All other files are the user's, and stay.
 */
export async function undoCheckout(
  { topLevel, from, to, stderr }: UnfinishedCheckout,
  call: GitOptions,
): Promise<void> {
  if (NOTHING_WRITTEN.test(stderr)) return;
  const changes = await listChanges(from, to, call);
  const written = await findWritten(changes, call);
  for (const { path } of changes.filter(({ isAdded }) => isAdded))
    await removeAdded(topLevel, path, written.has(path));
  const existing = changes.filter(({ isAdded }) => !isAdded);
  const missing = await Promise.all(existing.map(async ({ path }) => !(await isThere(join(topLevel, path)))));
  const restored = existing.filter(({ path }, index) => written.has(path) || missing[index]);
  if (restored.length === 0) return;
  const input = restored.map(({ path }) => `${path}\0`).join('');
  await git(['checkout-index', '--quiet', '--force', '-z', '--stdin'], { ...call, input });
}

interface Change {
  readonly path: string;
  readonly newMode: string;
  readonly newId: string;
  readonly isAdded: boolean;
}

const ABSENT = '000000';

async function listChanges(from: string, to: string, call: GitOptions): Promise<readonly Change[]> {
  const fields = (await gitOutput(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to], call)).split(
    '\0',
  );
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', , newId = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({ path: fields[at + 1] ?? '', newMode, newId, isAdded: oldMode === ABSENT });
  }
  return changes;
}

/** Returns the paths whose file is that of `to`. */
async function findWritten(changes: readonly Change[], call: GitOptions): Promise<ReadonlySet<string>> {
  const present = changes.filter(({ newMode }) => newMode !== ABSENT);
  const folder = await makeTemporaryFolder('undo');
  try {
    const indexed = { ...call, indexFile: join(folder, 'index') };
    const input = present.map(({ newMode, newId, path }) => `${newMode} ${newId}\t${path}\0`).join('');
    await gitOutput(['update-index', '-z', '--index-info'], { ...indexed, input });
    // Exits with 1 if a file differs.
    await git(['update-index', '-q', '--refresh'], indexed);
    const listed = await gitOutput(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], indexed);
    const differing = new Set(listed.split('\0'));
    return new Set(present.map(({ path }) => path).filter((path) => !differing.has(path)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes a file if git wrote it, and the folders that are empty without it. */
async function removeAdded(topLevel: string, path: string, isWritten: boolean): Promise<void> {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    folders.push(join(topLevel, folder));
  // A link of the user could lead out of the checkout. Git writes nothing behind one.
  if ((await Promise.all(folders.map(isLink))).includes(true)) return;
  if (isWritten) await unlink(join(topLevel, path)).catch(() => undefined);
  // A folder with files of the user stays. The deepest ones can be missing.
  for (const folder of folders) await rmdir(folder).catch(() => undefined);
}

async function isLink(path: string): Promise<boolean> {
  return (await readlink(path).catch(() => undefined)) !== undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
