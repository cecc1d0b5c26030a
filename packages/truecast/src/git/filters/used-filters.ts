/** Used filters: the drivers that a checkout's attribute files name. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type GitCallOptions, type GitPaths, gitOutput } from '../command/git.ts';
import type { TrustedConfig } from '../repository/trusted-config.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import type { FilterDriver } from '../filter-rules/filter-driver.ts';
import { isAttributesFile } from './attributes.ts';

/** Git's own limit. */
const MAX_ATTRIBUTES_BYTES = 100 * 1024 * 1024;

export interface UsedFilters {
  /** Drivers that an attribute file names, for existing or future files. */
  readonly drivers: readonly FilterDriver[];
  /** The user's attribute file outside of the repository, if it names one of them. */
  readonly attributesFile: string | undefined;
}

/** Finds the filters of a checkout. Reads nothing unless a driver is configured. */
export async function findUsedFilters(
  paths: GitPaths,
  config: TrustedConfig,
  options: GitCallOptions,
): Promise<UsedFilters> {
  if (config.drivers.length === 0) return { drivers: [], attributesFile: undefined };
  const tracked = await listAttributeFiles(paths, options);
  const own = [...new Set(['.gitattributes', ...tracked].map((path) => join(paths.workTree, path)))];
  const others = [join(paths.commonDir, 'info', 'attributes'), ...outerAttributeFiles(config)];
  // Git does not follow a symlink to an attribute file in the worktree either.
  const named = [
    ...own.map((path) => readNamedFilters(path, false)),
    ...others.map((path) => readNamedFilters(path, true)),
  ];
  const isNamed = (names: readonly string[]): ((driver: FilterDriver) => boolean) => {
    const set = new Set(names);
    return ({ name }) => set.has(name);
  };
  const isUsers = config.drivers.some(isNamed(named.at(-1) ?? []));
  return {
    drivers: config.drivers.filter(isNamed(named.flat())),
    attributesFile: isUsers ? others.at(-1) : undefined,
  };
}

/** Attribute files of the user and of the system. */
function outerAttributeFiles(config: TrustedConfig): string[] {
  return ['/etc/gitattributes', userAttributesFile(config)];
}

/** Returns the path of the user's own attribute file. The file can be missing. */
function userAttributesFile({ attributesFile }: TrustedConfig): string {
  const configHome = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return attributesFile?.replace(/^~(?=\/)/u, homedir()) ?? join(configHome, 'git', 'attributes');
}

/** Returns every `filter=<name>` of an attribute file, macros included. */
function readNamedFilters(path: string, followsLink: boolean): string[] {
  const text =
    readRegularFileSync(path, { maxBytes: MAX_ATTRIBUTES_BYTES, followsLink })?.toString('utf8') ?? '';
  return [...text.matchAll(/\sfilter=(\S+)/gu)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** An index with a million entries has about 100 MB. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;
const HEADER_BYTES = 12;
const VERSION_OFFSET = 4;
/** Later versions omit the part of a name that equals the previous name. */
const VERSIONS_WITH_WHOLE_NAMES = [2, 3];
const NESTED_NAME = Buffer.from('/.gitattributes\0');

/**
 * Returns the paths of the tracked attribute files. The one at the top can be missing. Git runs only if
 * the index can name one in a subfolder.
 */
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
