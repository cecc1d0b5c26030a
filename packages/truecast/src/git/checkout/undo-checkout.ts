/**
 * Undo of a checkout that git has started and not finished, for example because a path is too long
 * for the file system. HEAD and the index have not changed.
 */
import { lstat, readlink, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import { git, gitOutput, type GitOptions } from '../command/git.ts';
import { QUOTED_PATHS, unquotePath } from '../command/quoted-path.ts';

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
  options: GitOptions,
): Promise<void> {
  if (NOTHING_WRITTEN.test(stderr)) return;
  const call = { ...options, config: [...(options.config ?? []), QUOTED_PATHS] };
  const changes = await listChanges(from, to, call);
  const written = await findWritten(changes, call);
  for (const { path } of changes.filter(({ isAdded }) => isAdded))
    await removeAdded(topLevel, path, written.has(path));
  const existing = changes.filter(({ isAdded }) => !isAdded);
  const isMissing = await Promise.all(existing.map(async ({ path }) => !(await isThere(topLevel, path))));
  const restored = existing.filter(({ path }, index) => written.has(path) || isMissing[index]);
  if (restored.length === 0) return;
  const input = restored.map(({ path }) => `${path}\n`).join('');
  await git(['checkout-index', '--quiet', '--force', '--stdin'], { ...call, input });
}

interface Change {
  /** As git quotes it. */
  readonly path: string;
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
    const [oldMode = '', newMode = '', , newId = ''] = line.slice(1, end).split(' ');
    return { path: line.slice(end + 1), newMode, newId, isAdded: oldMode === ABSENT };
  });
}

/** Returns the paths whose file is that of `to`. */
async function findWritten(changes: readonly Change[], call: GitOptions): Promise<ReadonlySet<string>> {
  const present = changes.filter(({ newMode }) => newMode !== ABSENT);
  const folder = await makeTemporaryFolder('undo');
  try {
    const indexed = { ...call, indexFile: join(folder, 'index') };
    const input = present.map(({ newMode, newId, path }) => `${newMode} ${newId}\t${path}\n`).join('');
    await gitOutput(['update-index', '--index-info'], { ...indexed, input });
    // Exits with 1 if a file differs.
    await git(['update-index', '-q', '--refresh'], indexed);
    const listed = await gitOutput(['diff-files', '--name-only', '--ignore-submodules=all'], indexed);
    const differing = new Set(listed.split('\n'));
    return new Set(present.map(({ path }) => path).filter((path) => !differing.has(path)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes a file if git wrote it, and the folders that are empty without it. */
async function removeAdded(topLevel: string, path: string, isWritten: boolean): Promise<void> {
  const folders: Buffer[] = [];
  for (let folder = dirname(unquotePath(path)); folder !== '.'; folder = dirname(folder))
    folders.push(systemPath(topLevel, folder));
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

function systemPath(topLevel: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${topLevel}/`), Buffer.from(path, 'latin1')]);
}
