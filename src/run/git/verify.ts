/** Owns that the host is not executed by its guest: what could run code at the host's next git command is as it was before the agent. */
import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryError } from '../../errors/repository-error.ts';
import type { GitCallOptions } from './git.ts';
import { isHarmlessChange, isHarmlessConfig } from './harmless-config.ts';
import { restoreHooks, snapshotHooks, type HooksSnapshot } from './hooks-snapshot.ts';
import { isThere, quarantine, restore, type Finding } from './quarantine.ts';
import { fingerprintSubmodules, quarantineSubmodules } from './submodule-check.ts';
import { listSymlinks, quarantineSymlinks, repairLinks } from './worktree-links.ts';
import { worktreePaths, type Worktree } from './worktree.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** What a worktree and its repository looked like before the agent. */
export interface WorktreeSnapshot {
  readonly worktree: Worktree;
  readonly configText: string;
  /** `config.worktree` of the main checkout and of this one, where there is one. */
  readonly worktreeConfigs: ReadonlyMap<string, string | undefined>;
  readonly hooks: HooksSnapshot;
  /** Symbolic links that the user has in the git directories. */
  readonly symlinks: ReadonlySet<string>;
  /** Device and inode of the checkout's `.git`. */
  readonly gitEntry: string;
  /** What a hook that any `git status` runs says, where the hooks lie in the worktree itself. */
  readonly indexHook: { readonly path: string; readonly content: string | undefined } | undefined;
  /** What each populated submodule would run, by path. */
  readonly submodules: ReadonlyMap<string, string>;
}

/** Remembers, before the agent starts, all that could run code on the host. */
export async function protectWorktree(
  worktree: Worktree,
  options: GitCallOptions,
): Promise<WorktreeSnapshot> {
  const { commonDir, gitDir, path, repository } = worktree;
  const configPaths = [...new Set([join(commonDir, 'config.worktree'), join(gitDir, 'config.worktree')])];
  const { relativeHooksPath } = await repository.trustedConfig();
  const hookPath =
    relativeHooksPath === undefined ? undefined : join(path, relativeHooksPath, 'post-index-change');
  const [configText, configs, hooks, symlinks, gitEntry, indexHook, submodules] = await Promise.all([
    readFile(join(commonDir, 'config'), 'utf8'),
    Promise.all(configPaths.map(async (file) => [file, await readText(file)] as const)),
    snapshotHooks(join(commonDir, 'hooks')),
    listSymlinks(commonDir),
    identityOf(join(path, '.git')),
    hookPath === undefined ? undefined : readText(hookPath).then((content) => ({ path: hookPath, content })),
    fingerprintSubmodules(worktreePaths(worktree), options),
  ]);
  return {
    worktree,
    configText,
    worktreeConfigs: new Map(configs),
    hooks,
    symlinks: new Set(symlinks),
    gitEntry,
    indexHook,
    submodules,
  };
}

/**
 * Compares a worktree with how it was before the agent, and makes it safe to use git in: for us, and for a user who types `git status` there.
 *
 * Call it when nothing of the agent runs any more, and before any other call of git on the worktree. Nothing that the agent wrote is deleted.
 *
 * @returns what was found; empty when nothing was tampered with
 * @throws RepositoryError `git-failed` when the repository itself was replaced
 */
export async function verifyWorktree(
  snapshot: WorktreeSnapshot,
  options: GitCallOptions,
): Promise<Finding[]> {
  const { worktree } = snapshot;
  const { path, gitDir, commonDir } = worktree;
  const isLinked = gitDir !== commonDir;
  if (!isLinked && (await identityOf(join(path, '.git'))) !== snapshot.gitEntry) throw replaced(path);
  const findings = [
    ...(isLinked ? await repairLinks({ path, gitDir, commonDir }, options) : []),
    ...(await quarantineSymlinks(commonDir, snapshot.symlinks)),
    ...(await verifyCommonDir(snapshot, options)),
    ...(await restoreHooks(snapshot.hooks)),
    ...(await verifyIndexHook(snapshot)),
  ];
  // Last, because this one needs git to tell what is a submodule.
  return [
    ...findings,
    ...(await quarantineSubmodules(worktreePaths(worktree), snapshot.submodules, options)),
  ];
}

async function verifyCommonDir(snapshot: WorktreeSnapshot, options: GitCallOptions): Promise<Finding[]> {
  const { commonDir } = snapshot.worktree;
  const findings: Finding[] = [];
  const redirect = join(commonDir, 'commondir');
  if (await isThere(redirect))
    findings.push(await quarantine(redirect, 'would lead git to another repository'));
  for (const [file, before] of snapshot.worktreeConfigs) {
    if ((await readText(file)) === before && !(await isSymlink(file))) continue;
    if (await isHarmlessConfig(file, 'worktree', options)) continue;
    const what = 'was written with entries that can run programs';
    findings.push(before === undefined ? await quarantine(file, what) : await restore(file, before, what));
  }
  const config = await verifyConfig(snapshot, options);
  return config === undefined ? findings : [...findings, config];
}

async function verifyConfig(
  { worktree, configText }: WorktreeSnapshot,
  options: GitCallOptions,
): Promise<Finding | undefined> {
  const path = join(worktree.commonDir, 'config');
  if ((await readText(path)) === configText && !(await isSymlink(path))) return undefined;
  const folder = await makeTemporaryFolder('config');
  try {
    const before = join(folder, 'config');
    await writeFile(before, configText);
    if ((await isThere(path)) && (await isHarmlessChange(before, path, options))) {
      return { path, what: 'was changed, in entries that run nothing', action: 'kept' };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return restore(path, configText, 'was changed in entries that can run programs or redirect git');
}

/** The one hook that a plain `git status` runs; `core.hooksPath=.husky` puts it where the guest writes. */
async function verifyIndexHook({ indexHook }: WorktreeSnapshot): Promise<Finding[]> {
  if (indexHook === undefined || !(await isThere(indexHook.path))) return [];
  if ((await readText(indexHook.path)) === indexHook.content) return [];
  return [await quarantine(indexHook.path, 'is a hook that every `git status` runs')];
}

function replaced(path: string): RepositoryError {
  return new RepositoryError(
    `\`${join(path, '.git')}\` was replaced while the agent ran; no git command is safe there. Look into it by hand, and bring back the repository from a clone.`,
    { code: 'git-failed' },
  );
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function isSymlink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
}

async function identityOf(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'missing' : `${found.dev}:${found.ino}:${found.isDirectory()}`;
}
