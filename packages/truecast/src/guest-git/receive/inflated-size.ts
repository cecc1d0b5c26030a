/** Inflated size of received objects: a pack of 200 KB can contain 200 MB of zeros. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gitOutput, type GitOptions } from '../../git/command/git.ts';

/** Generous for code, and small enough that a guest cannot fill a disk. */
export const MAX_INFLATED_BYTES: number = 8 * 1024 ** 3;

/** Maximum compression ratio of a zlib stream. */
const MAX_RATIO = 1_032;

/**
 * Returns the sum, or an upper bound if the bound is below `limit`. For most runs this needs no
 * further process.
 */
export async function inflatedBytes(call: GitOptions, objectFolder: string, limit: number): Promise<number> {
  const loose = await listLoose(objectFolder);
  const indexes = (await readdir(join(objectFolder, 'pack'))).filter((name) => name.endsWith('.idx'));
  const sizes = await Promise.all(loose.map(async ({ path }) => (await stat(path)).size));
  const bound = sizes.reduce((sum, size) => sum + size, 0) * MAX_RATIO;
  if (indexes.length === 0 && bound <= limit) return bound;
  const packed = await Promise.all(indexes.map((name) => packedIds(call, join(objectFolder, 'pack', name))));
  const ids = [...loose.map(({ id }) => id), ...packed.flat()];
  const checked = await gitOutput(['cat-file', '--batch-check=%(objectsize)', '--buffer'], {
    ...call,
    input: `${ids.join('\n')}\n`,
  });
  return checked.split('\n').reduce((sum, line) => sum + (Number(line) || 0), 0);
}

interface LooseObject {
  readonly id: string;
  readonly path: string;
}

/** Lists the loose objects in a folder that git wrote. */
export async function listLoose(objectFolder: string): Promise<readonly LooseObject[]> {
  const folders = (await readdir(objectFolder)).filter((name) => /^[0-9a-f]{2}$/u.test(name));
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(objectFolder, folder))).map((name) => ({
        id: `${folder}${name}`,
        path: join(objectFolder, folder, name),
      })),
    ),
  );
  return found.flat();
}

/**
 * `verify-pack -v` would also print delta chains. The line of an object has its id, type and size.
 */
async function packedIds(call: GitOptions, indexPath: string): Promise<string[]> {
  const listed = await gitOutput(['verify-pack', '--verbose', indexPath], call);
  return listed
    .split('\n')
    .map((line) => /^([0-9a-f]{40,64}) (?:commit|tree|blob|tag) /u.exec(line)?.[1])
    .filter((id) => id !== undefined);
}
