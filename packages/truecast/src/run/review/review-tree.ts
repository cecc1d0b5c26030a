/**
 * Tree review: finds changes between two commits that run code on the host after the second one is
 * checked out or merged.
 */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { git, gitOutput, type GitOptions, type GitResult } from '../../git/command/git.ts';
import { turnsOnDriver } from './paths/attribute-lines.ts';
import { isReservedPath } from '../../support/truecast-folder.ts';
import { foldersToLookInto, isRepositoryFolder } from './bare-repository.ts';
import { classifyLink, classifyPath, decidesAttributes } from './paths/classify-path.ts';
import { foldPath } from './paths/fold-name.ts';
import type { HostPrograms } from './paths/host-programs.ts';
import type { Sensitivity } from './paths/path-rules.ts';
import {
  isNewGitlink,
  kindOfChange,
  listFolders,
  listTreeChanges,
  type TreeChange,
  type TreeRange,
} from './tree-changes.ts';

const LINK_MODE = '120000';
const MAX_CHANGES = 200_000;
const MAX_FOLDERS = 2_000;
const MAX_ATTRIBUTE_FILES = 50;
const MAX_ATTRIBUTES_BYTES = 256 * 1024;

export interface ReviewTreeOptions extends TreeRange {
  readonly readPrograms: () => Promise<HostPrograms>;
  readonly call: GitOptions;
  /** Result of `treeComparison` for this range, if it was read before. */
  readonly compared?: GitResult | undefined;
}

type WithPrograms = ReviewTreeOptions & { readonly programs: HostPrograms };

/**
 * Marks a review as incomplete. The unknown rest counts as code that runs at the next git command.
 */
export const NOT_REVIEWED: SensitiveChange = {
  path: '.',
  reason: 'not-reviewed',
  runsAt: 'git',
  change: 'changed',
  source: 'commits',
};

/**
 * Reviews the changes of a tip. Changes that cannot be reviewed are reported as such, never skipped
 * silently.
 */
export async function reviewTree(options: ReviewTreeOptions): Promise<readonly SensitiveChange[]> {
  try {
    const changes = await listTreeChanges(options, options.call, options.compared);
    if (changes.length > MAX_CHANGES) return [NOT_REVIEWED];
    if (changes.length === 0) return [];
    const reading = { ...options, programs: await options.readPrograms() };
    const [repositories, attributes] = await Promise.all([
      reviewFolders(changes, options),
      reviewAttributes(changes, reading),
    ]);
    return [...changes.flatMap((change) => reviewChange(change, reading)), ...repositories, ...attributes];
  } catch (error) {
    if (RepositoryError.isInstance(error)) return [NOT_REVIEWED];
    throw error;
  }
}

function reviewChange(change: TreeChange, { programs }: WithPrograms): readonly SensitiveChange[] {
  const { path } = change;
  const isLink = change.newMode === LINK_MODE;
  const found =
    classifyReserved(change) ??
    (isLink ? classifyLink(foldPath(path), programs) : classifyPath(path, programs));
  if (found === undefined) return [];
  const { reason, runsAt } = found;
  return [{ path, reason, runsAt, change: kindOfChange(change), source: 'commits' }];
}

function classifyReserved(change: TreeChange): Sensitivity | undefined {
  // The next run reads these names on the host.
  if (isReservedPath(change.path, change.newMode === LINK_MODE)) {
    return { reason: 'reserved-name', runsAt: 'git' };
  }
  return isNewGitlink(change) ? { reason: 'gitlink', runsAt: 'git' } : undefined;
}

async function reviewFolders(
  changes: readonly TreeChange[],
  { tip, call }: ReviewTreeOptions,
): Promise<readonly SensitiveChange[]> {
  const present = changes.filter((change) => kindOfChange(change) !== 'removed');
  const folders = [...new Set(present.flatMap(({ path }) => foldersToLookInto(path)))];
  if (folders.length === 0) return [];
  // A name that is not UTF-8 cannot be passed back to git.
  if (folders.length > MAX_FOLDERS || folders.some((folder) => folder.includes('\uFFFD'))) {
    return [NOT_REVIEWED];
  }
  const listed = await listFolders(tip, folders, call);
  const added = new Set(changes.filter(({ oldMode }) => oldMode === '000000').map(({ path }) => path));
  return folders
    .filter((folder) => isRepositoryFolder(listed.get(folder) ?? []))
    .map((path): SensitiveChange => {
      const isNew = (listed.get(path) ?? []).some((name) => added.has(`${path}/${name}`));
      const change = isNew ? 'added' : 'changed';
      return { path, reason: 'bare-repository', runsAt: 'git', change, source: 'commits' };
    });
}

async function reviewAttributes(
  changes: readonly TreeChange[],
  { tip, programs, call }: WithPrograms,
): Promise<readonly SensitiveChange[]> {
  const { filter, diff, merge } = programs.drivers;
  if (filter.size + diff.size + merge.size === 0) return [];
  const files = changes.filter(
    (change) => kindOfChange(change) !== 'removed' && decidesAttributes(foldPath(change.path), programs),
  );
  if (files.length === 0) return [];
  if (files.length > MAX_ATTRIBUTE_FILES) return [NOT_REVIEWED];
  const top = await readBlob(`${tip}:.gitattributes`, call);
  const macros = `${top ?? ''}\n${programs.attributes}`;
  const reviewed = await Promise.all(
    files.map(async (file): Promise<readonly SensitiveChange[]> => {
      const [before, after] = await Promise.all([readBlob(file.oldId, call), readBlob(file.newId, call)]);
      if (
        after !== undefined &&
        top !== undefined &&
        !turnsOnDriver({ before: before ?? '', after, macros }, programs.drivers)
      ) {
        return [];
      }
      const change = kindOfChange(file);
      return [{ path: file.path, reason: 'attributes-driver', runsAt: 'git', change, source: 'commits' }];
    }),
  );
  return reviewed.flat();
}

/** Returns a blob's text: `''` if it does not exist, undefined if it is too large to be read. */
async function readBlob(name: string, call: GitOptions): Promise<string | undefined> {
  const size = await git(['cat-file', '-s', name], call);
  if (size.exitCode !== 0) return '';
  return Number(size.stdout) > MAX_ATTRIBUTES_BYTES ? undefined : gitOutput(['cat-file', 'blob', name], call);
}
