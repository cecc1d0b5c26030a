/**
 * Filter for a guest's uncommitted entries that are not written to the host: links that lead out of
 * the worktree, and nested repositories.
 */
import { posix } from 'node:path';
import { runGit, type HostWorktree } from './host-worktree.ts';

/** Entries that are excluded from the transferred files. */
export interface LeftOut {
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Nested repositories. Git would transfer only the id of their commit. */
  readonly repositories: readonly string[];
}

interface ChangedEntry {
  readonly mode: string;
  readonly sha: string;
  readonly path: string;
}

/**
 * Finds excluded entries. Links are compared with HEAD, because commits are transferred unchanged.
 * Repositories are compared with the host's files.
 */
export async function findLeftOut(
  host: HostWorktree,
  trees: { readonly head: string; readonly before: string; readonly files: string },
): Promise<LeftOut> {
  const changed = await listChanged(host, trees.head, trees.files);
  const links = [];
  for (const { path, sha } of changed.filter(({ mode }) => mode === '120000')) {
    const target = await runGit(host, ['cat-file', 'blob', sha]);
    if (leadsOut(path, target)) links.push({ path, target });
  }
  const sinceBefore = await listChanged(host, trees.before, trees.files);
  const repositories = sinceBefore.filter(({ mode }) => mode === '160000').map(({ path }) => path);
  return { links, repositories };
}

/**
 * Returns true if a link at `path` can lead out of the worktree, or into its git directory.
 *
 * `..` is allowed only at the beginning. After a name, which can be a link itself, the target is
 * unknown.
 */
export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith('/') || target.includes('\\') || /^[A-Za-z]:/u.test(target)) return true;
  const inner = target.replace(/^(?:\.\.?\/+)*/u, '');
  if (inner !== '..' && inner.split('/').includes('..')) return true;
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  return resolved === '..' || resolved.startsWith('../') || /^\.git(?:\/|$)/iu.test(resolved);
}

async function listChanged(host: HostWorktree, from: string, to: string): Promise<ChangedEntry[]> {
  const output = await runGit(host, ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
  const fields = output.split('\0');
  const entries: ChangedEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , sha = ''] = (fields[at] ?? '').split(' ');
    entries.push({ mode, sha, path: fields[at + 1] ?? '' });
  }
  return entries;
}
