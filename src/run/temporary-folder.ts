/** Owns the temporary folders of runs: each says which process made it, so that those of dead ones are known. */
import { chmod, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { isSurelyDead, thisProcess, type ProcessIdentity } from './git/process-identity.ts';

const PREFIX = 'truecast-';
const OWNER_FILE = '.truecast-owner.json';

const OWNER: z.ZodType<ProcessIdentity> = z.object({
  pid: z.number().int(),
  processStartTime: z.string().optional(),
  bootId: z.string().optional(),
  pidNamespace: z.string().optional(),
  host: z.string(),
});

/** Makes an empty folder but for a hidden file that names its owner, and returns its path. `kind` stands in its name. */
export async function makeTemporaryFolder(kind: string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${kind}-`));
  await writeFile(join(path, OWNER_FILE), JSON.stringify(thisProcess()), { flag: 'wx' });
  return path;
}

/** Returns the temporary folders of this user whose processes have surely ended. */
export async function findDeadTemporaryFolders(): Promise<string[]> {
  const names = await readdir(tmpdir()).catch(() => []);
  const paths = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(tmpdir(), name));
  const dead = await Promise.all(paths.map(isOfDeadProcess));
  return paths.filter((_, index) => dead[index]);
}

/** Tells whether a folder was made for a process that has surely ended. Anything else's answer is no. */
export async function isOfDeadProcess(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false;
  const owner = await readOwner(join(path, OWNER_FILE));
  return owner !== undefined && isSurelyDead(owner);
}

async function readOwner(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return OWNER.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
  } catch {
    // Not ours, or made by a process that was killed before it could sign it.
    return undefined;
  }
}

/** Removes a folder and all in it. A guest may leave folders that not even their owner can list. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openFolders(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
