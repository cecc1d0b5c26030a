/**
 * Temporary folders of runs. Each names the process that created it, so that folders of dead
 * processes can be found.
 */
import { accessSync, constants, opendirSync, rmSync, statfsSync } from 'node:fs';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { processIdentitySchema } from './process-identity-schema.ts';
import { isSurelyDead, thisProcess, type ProcessIdentity } from './process-identity.ts';
import { findProcessIn } from './process-in-folder.ts';

const PREFIX = 'truecast-';
const OWNER_FILE = '.truecast-owner.json';

/** A process, and the repositories that it has opened. */
interface Owner extends ProcessIdentity {
  readonly repositories?: readonly string[] | undefined;
}

const OWNER: z.ZodType<Owner> = processIdentitySchema.and(
  z.object({ repositories: z.array(z.string()).optional() }),
);

const repositories = new Set<string>();

/** Records that this process works on a repository. Later temporary folders belong to it. */
export function rememberRepository(commonDir: string): void {
  repositories.add(commonDir);
}

/** File system in memory. A disk takes ten times as long to create and remove small files. */
const MEMORY_FOLDER = '/dev/shm';
const TMPFS_TYPE = 0x0102_1994;
const MIN_FREE_MEMORY_BYTES = 16 * 1024 * 1024;

export interface TemporaryFolderOptions {
  /**
   * True for a folder of less than a megabyte that only this machine's processes open. On Linux it
   * is in memory, unless TMPDIR names another place. @default false
   */
  readonly isSmall?: boolean;
}

/**
 * Creates a folder that is empty except for a hidden file with its owner, and returns its path.
 * `kind` is part of the name.
 */
export async function makeTemporaryFolder(
  kind: string,
  { isSmall = false }: TemporaryFolderOptions = {},
): Promise<string> {
  const root = isSmall ? smallFilesFolder() : tmpdir();
  const path = await mkdtemp(join(root, `${PREFIX}${kind}-`));
  await writeFile(
    join(path, OWNER_FILE),
    JSON.stringify({ ...thisProcess(), repositories: [...repositories] }),
    {
      flag: 'wx',
    },
  );
  return path;
}

/** Returns the folder of small files that only this machine's processes open. */
export function smallFilesFolder(): string {
  return canBeInMemory() && hasFreeMemory() ? MEMORY_FOLDER : tmpdir();
}

/**
 * Returns the temporary folders of this user whose processes are known to be dead. Those of processes
 * that have worked only on other repositories are left to these.
 */
export async function findDeadTemporaryFolders(commonDir: string): Promise<string[]> {
  const roots = canBeInMemory() ? [tmpdir(), MEMORY_FOLDER] : [tmpdir()];
  const listed = await Promise.all(roots.map(listFolders));
  const paths = listed.flat();
  const dead = await Promise.all(paths.map((path) => isOfDeadProcess(path, commonDir)));
  return paths.filter((_, index) => dead[index]);
}

/**
 * Removes this user's temporary folders of a kind whose processes are known to be dead. `endLeft` ends
 * their programs that still work. A folder in which another program works is kept.
 */
export async function removeDeadFolders(
  kind: string,
  endLeft: (path: string) => Promise<void>,
): Promise<void> {
  const paths = (await listFolders(tmpdir())).filter((path) => path.includes(`/${PREFIX}${kind}-`));
  for (const path of paths) {
    if (!(await isOfDeadProcess(path, undefined))) continue;
    await endLeft(path);
    if ((await findProcessIn(path)) !== undefined) continue;
    await removeTree(path).catch(() => undefined);
  }
}

async function listFolders(root: string): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(root, name));
}

/** TMPDIR names the place of all temporary folders. */
function canBeInMemory(): boolean {
  return process.env['TMPDIR'] === undefined;
}

function hasFreeMemory(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY_FOLDER);
    if (type !== TMPFS_TYPE || bavail * bsize < MIN_FREE_MEMORY_BYTES) return false;
    accessSync(MEMORY_FOLDER, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true if a folder was created for a process that is known to be dead, and that did not work
 * only on other repositories than `commonDir`. Returns false for anything else.
 */
export async function isOfDeadProcess(path: string, commonDir: string | undefined): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false;
  const owner = await readOwner(join(path, OWNER_FILE));
  if (owner === undefined || !isSurelyDead(owner)) return false;
  const { repositories: own = [] } = owner;
  return own.length === 0 || commonDir === undefined || own.includes(commonDir);
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return OWNER.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
  } catch {
    // Not a folder of Truecast, or its process was killed before it wrote the owner file.
    return undefined;
  }
}

/**
 * Removes a folder and its content. A guest can leave folders that not even their owner can list.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    if (isSmallTree(path)) rmSync(path, { recursive: true, force: true });
    else await rm(path, { recursive: true, force: true });
  } catch {
    await openFolders(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * A tree up to this size is removed in one call. That blocks for a millisecond, but takes a tenth
 * of the time, because no entry waits for the thread pool.
 */
const MAX_SMALL_ENTRIES = 200;

/** Returns false for a larger tree, and for one that cannot be listed. */
function isSmallTree(path: string): boolean {
  try {
    const folder = opendirSync(path, { recursive: true });
    try {
      for (let count = 0; count <= MAX_SMALL_ENTRIES; count += 1) if (folder.readSync() === null) return true;
      return false;
    } finally {
      folder.closeSync();
    }
  } catch {
    return false;
  }
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
