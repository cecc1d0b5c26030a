/** Owns looking for what a guest left in git's folders to make the host's git read or write elsewhere. */
import { lstatSync, rmSync, watch } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../errors/sandbox-error.ts';
import type { WorktreeGitPaths } from './sandbox-provider.ts';

/** Content-addressed, large, and never written through a name of the guest's; or read-only inside. */
const SKIPPED = new Set(['objects', 'lfs', 'hooks', 'info', 'modules', 'worktrees']);

/** Returns the links that git's folders hold; read before a guest starts, since a user may have made some. */
export async function linksOf(git: WorktreeGitPaths): Promise<ReadonlySet<string>> {
  const roots = new Set([git.gitDir, join(git.commonDir, 'refs'), join(git.commonDir, 'logs')]);
  const found = await Promise.all([...roots].map(findLinks));
  return new Set(found.flat());
}

/**
 * Removes what would lead the host's git out of its folders: a link, which git follows when it appends to a log or writes a
 * message, and a `commondir` in a main checkout, which names another configuration.
 *
 * @throws SandboxError `escape-attempt` when there was any
 */
export async function inspectGitPaths(git: WorktreeGitPaths, knownLinks: ReadonlySet<string>): Promise<void> {
  const links = [...(await linksOf(git))].filter((link) => !knownLinks.has(link));
  const traps = [...links, ...commonDirTrap(git)];
  if (traps.length === 0) return;
  await Promise.all(traps.map((trap) => rm(trap, { recursive: true, force: true })));
  throw escapeAttempt(traps);
}

/** Returns the path of a `commondir` that a main checkout must not have. */
function commonDirTrap({ gitDir, commonDir }: WorktreeGitPaths): readonly string[] {
  const path = join(commonDir, 'commondir');
  return gitDir === commonDir && lstatSync(path, { throwIfNoEntry: false }) !== undefined ? [path] : [];
}

/**
 * Removes a `commondir` as soon as it appears in a main checkout, whose folder has to be writable: the user may run git meanwhile.
 * Returns what ends the watch.
 */
export function watchCommonDir(git: WorktreeGitPaths, onTrap: (error: SandboxError) => void): () => void {
  if (git.gitDir !== git.commonDir) return () => undefined;
  const watcher = watch(git.commonDir, (_event, name) => {
    if (name !== 'commondir') return;
    const traps = commonDirTrap(git);
    if (traps.length === 0) return;
    for (const trap of traps) rmSync(trap, { recursive: true, force: true });
    onTrap(escapeAttempt(traps));
  });
  // Without a watch what is left is the look afterwards.
  watcher.on('error', () => undefined);
  return () => watcher.close();
}

function escapeAttempt(traps: readonly string[]): SandboxError {
  return new SandboxError(
    `The guest left ${traps.map((trap) => `\`${trap}\``).join(', ')}, by which the host's git would be led elsewhere. It was removed; look at what this agent did before you trust its work.`,
    { code: 'escape-attempt' },
  );
}

async function findLinks(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  const folders = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
  const nested = await Promise.all(folders.map(({ name }) => findLinks(join(folder, name))));
  return [...links, ...nested.flat()];
}
