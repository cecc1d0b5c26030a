/**
 * Comparison of a worktree's sensitive files with its base commit, for a worktree that was not
 * inspected before the guest.
 */
import { git, gitOutput, type GitCallOptions, type GitOptions } from '../../git/command/git.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { blobIdsOf } from './file-fingerprint.ts';
import { toShownPath } from './walk-checkout.ts';
import type { FileChange, FilesState, KnownFile } from './files-state.ts';

/**
 * Returns the files whose content is not in the base commit. Removed files are a change of the
 * tree.
 */
export async function compareWithBase(
  { path: root, baseSha, repository }: LockedWorktree,
  after: FilesState,
  options: GitCallOptions,
): Promise<readonly FileChange[]> {
  const all = [...after.files.values()];
  if (all.length === 0) return [];
  const call = { ...options, cwd: repository.topLevel, paths: pathsOf(repository) };
  const parts = all.flatMap(({ file }) => file.parts);
  const ids = await listIds(baseSha, parts.map(toShownPath), call);
  const algorithm = baseSha.length === 64 ? 'sha256' : 'sha1';
  const isSame = ({ file }: KnownFile): boolean =>
    file.parts.every((part) => blobIdsOf(root, part, algorithm).includes(ids.get(toShownPath(part)) ?? ''));
  return Promise.all(
    all
      .filter((known) => !isSame(known))
      .map(async (known): Promise<FileChange> => {
        const change = known.file.parts.some((part) => ids.has(toShownPath(part))) ? 'changed' : 'added';
        const id = ids.get(toShownPath(known.file.path));
        const isText = known.file.kind === 'attributes' && id !== undefined;
        const previousText = isText ? await gitOutput(['cat-file', 'blob', id], call) : '';
        return { known, change, previousText };
      }),
  );
}

/** Lists blob ids by path. An unreadable commit has none, so everything then counts as new. */
async function listIds(
  commit: string,
  paths: readonly string[],
  call: GitOptions,
): Promise<ReadonlyMap<string, string>> {
  const listed = await git(['ls-tree', '-z', '--full-tree', commit, '--', ...paths], call);
  const lines = listed.stdout.split('\0').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/u)[2] ?? '']));
}
