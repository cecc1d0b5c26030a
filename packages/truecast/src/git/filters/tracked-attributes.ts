/**
 * Tracked attribute files of a checkout. Git runs only if the index can name one in a subfolder.
 */
import { join } from 'node:path';
import { gitOutput, type GitCallOptions, type GitPaths } from '../command/git.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { isAttributesFile } from './attributes.ts';

/** An index with a million entries has about 100 MB. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;
const HEADER_BYTES = 12;
const VERSION_OFFSET = 4;
/** Later versions omit the part of a name that equals the previous name. */
const VERSIONS_WITH_WHOLE_NAMES = [2, 3];
const NESTED_NAME = Buffer.from('/.gitattributes\0');

/** Returns the paths of the tracked attribute files. The one at the top can be missing. */
export async function listAttributeFiles(
  paths: GitPaths,
  options: GitCallOptions,
): Promise<readonly string[]> {
  const index = readRegularFileSync(join(paths.gitDir, 'index'), { maxBytes: MAX_INDEX_BYTES });
  if (index !== undefined && hasNoNestedFile(index)) return [];
  const listed = await gitOutput(['ls-files', '-z'], { ...options, cwd: paths.workTree, paths });
  return listed.split('\0').filter(isAttributesFile);
}

/** A split index keeps its entries in a second file, and has the extension `link`. */
function hasNoNestedFile(index: Buffer): boolean {
  return (
    index.length >= HEADER_BYTES &&
    VERSIONS_WITH_WHOLE_NAMES.includes(index.readUInt32BE(VERSION_OFFSET)) &&
    !index.includes('link') &&
    !index.includes(NESTED_NAME)
  );
}
