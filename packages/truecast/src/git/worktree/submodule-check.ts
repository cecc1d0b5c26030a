/**
 * Submodule check of a worktree. A plain `git status` starts another `git status` in each
 * submodule, with the submodule's configuration.
 */
import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { GitCallOptions, GitPaths } from '../command/git.ts';
import { isHarmlessConfig } from '../command/harmless-config.ts';
import { holdsHooks } from './hooks-snapshot.ts';
import { isThere, quarantine, type GuestChange } from '../command/quarantine.ts';
import { listGitlinks } from './status.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

/** Deeper submodules are not inspected, but renamed. */
const MAX_DEPTH = 8;
const MAX_GIT_FILE_BYTES = 64 * 1024;
/**
 * Maximum size of a configuration or hook. For a larger file, its state is compared instead of its
 * content.
 */
const MAX_CONTENT_BYTES = 1024 * 1024;

/**
 * Returns a fingerprint of the programs that each populated submodule would run, by path, nested
 * ones included.
 */
export async function fingerprintSubmodules(
  paths: GitPaths,
  options: GitCallOptions,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await walk(paths, options, 0, async (submodule) => {
    found.set(submodule.path, await fingerprint(submodule.gitDir));
    return true;
  });
  return found;
}

/**
 * Renames the `.git` of each submodule that has changed and could run a program. Its files are
 * kept.
 */
export async function quarantineSubmodules(
  paths: GitPaths,
  before: ReadonlyMap<string, string>,
  options: GitCallOptions,
): Promise<GuestChange[]> {
  const findings: GuestChange[] = [];
  await walk(paths, options, 0, async ({ path, gitDir, depth }) => {
    const isKnown = before.get(path) === (await fingerprint(gitDir));
    if (isKnown || (depth < MAX_DEPTH && (await isHarmless(gitDir, options)))) return true;
    const what = 'is the repository of a submodule that can run programs at every `git status`';
    findings.push(await quarantine(join(path, '.git'), what));
    return false;
  });
  return findings;
}

interface Submodule {
  /** Absolute. */
  readonly path: string;
  readonly gitDir: string;
  readonly depth: number;
}

/**
 * Visits each populated submodule, outer ones first. Enters those that the visitor declares safe.
 */
async function walk(
  paths: GitPaths,
  options: GitCallOptions,
  depth: number,
  visit: (submodule: Submodule) => Promise<boolean>,
): Promise<void> {
  for (const relativePath of await listGitlinks({ paths }, options)) {
    const path = join(paths.workTree, relativePath);
    const gitDir = (await crossesSymlink(paths.workTree, relativePath)) ? undefined : await gitDirOf(path);
    if (gitDir === undefined) continue;
    const isSafe = await visit({ path, gitDir, depth });
    if (isSafe && depth < MAX_DEPTH) {
      await walk({ gitDir, commonDir: gitDir, workTree: path }, options, depth + 1, visit);
    }
  }
}

/**
 * Git does not enter a submodule through a symbolic link. This check must not either, because the
 * link could point to a repository of the user.
 */
async function crossesSymlink(root: string, relativePath: string): Promise<boolean> {
  let current = root;
  for (const part of relativePath.split('/')) {
    current = join(current, part);
    if ((await lstat(current).catch(() => undefined))?.isSymbolicLink() === true) return true;
  }
  return false;
}

async function gitDirOf(path: string): Promise<string | undefined> {
  const entry = join(path, '.git');
  const found = await lstat(entry).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory() || found.isSymbolicLink()) return entry;
  const text = readRegularFileSync(entry, { maxBytes: MAX_GIT_FILE_BYTES })?.toString('utf8');
  const match = /^gitdir: (.*?)\n?$/su.exec(text ?? '');
  return match?.[1] === undefined ? undefined : resolve(dirname(entry), match[1]);
}

async function isHarmless(gitDir: string, options: GitCallOptions): Promise<boolean> {
  if ((await lstat(gitDir).catch(() => undefined))?.isDirectory() !== true) return false;
  const planted = await Promise.all(
    ['commondir', 'config.worktree'].map((name) => isThere(join(gitDir, name))),
  );
  if (planted.includes(true) || (await holdsHooks(join(gitDir, 'hooks')))) return false;
  return isHarmlessConfig(join(gitDir, 'config'), 'submodule', options);
}

/** Changes with everything that `isHarmless` inspects. */
async function fingerprint(gitDir: string): Promise<string> {
  const hash = createHash('sha256').update(gitDir);
  const hooks = await readdir(join(gitDir, 'hooks')).catch(() => []);
  const files = [
    'config',
    'config.worktree',
    'commondir',
    ...hooks.toSorted((one, other) => (one < other ? -1 : 1)).map((name) => join('hooks', name)),
  ];
  for (const name of files) {
    const path = join(gitDir, name);
    const kind = await lstat(path).catch(() => undefined);
    const content =
      readRegularFileSync(path, { maxBytes: MAX_CONTENT_BYTES }) ??
      Buffer.from(kind === undefined ? '' : `${kind.ino}:${kind.ctimeMs}:${kind.size}`);
    hash.update(`\0${name}\0${kind === undefined ? '-' : kind.mode}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
