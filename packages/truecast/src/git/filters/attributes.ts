/** Filter attributes: which driver git applies to a path, in a checkout or in a commit. */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import { gitOutput, type GitOptions } from '../command/git.ts';

/** Driver name by path. A path without a filter is absent. */
export type FilterByPath = ReadonlyMap<string, string>;

/** Where attributes are read from: files of the checkout, or the index that `indexFile` names. */
export type AttributeSource = 'checkout' | 'index';

/** Values that name no driver. */
const NO_DRIVER = new Set(['unspecified', 'unset', 'set']);

/** Returns the filter of each path. Runs no filter. */
export async function readFilterAttributes(
  paths: readonly string[],
  source: AttributeSource,
  options: GitOptions,
): Promise<FilterByPath> {
  if (paths.length === 0) return new Map();
  const cached = source === 'index' ? ['--cached'] : [];
  const stdout = await gitOutput(['check-attr', ...cached, '-z', '--stdin', 'filter'], {
    ...options,
    input: paths.map((path) => `${path}\0`).join(''),
  });
  const fields = stdout.split('\0');
  const found = new Map<string, string>();
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [path = '', , driver = 'unspecified'] = fields.slice(index, index + 3);
    if (!NO_DRIVER.has(driver)) found.set(path, driver);
  }
  return found;
}

/**
 * Runs a task with an index that contains a commit's files. The checkout's own index is not
 * changed.
 */
export async function withIndexOf<T>(
  commit: string,
  options: GitOptions,
  use: (indexed: GitOptions & { readonly indexFile: string }, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await makeTemporaryFolder('index');
  try {
    const indexed = { ...options, indexFile: join(folder, 'index') };
    await gitOutput(['read-tree', commit], indexed);
    return await use(indexed, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** True for a path whose content decides on the attributes of others. */
export function isAttributesFile(path: string): boolean {
  return basename(path) === '.gitattributes';
}
