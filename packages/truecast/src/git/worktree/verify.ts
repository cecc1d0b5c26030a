/**
 * Prevents a guest from running code on the host: files that could run code at the host's next git
 * command are restored to their state before the agent.
 */
import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { GitCallOptions } from '../command/git.ts';
import { isHarmlessChange, isHarmlessConfig } from '../command/harmless-config.ts';
import { restoreHooks, snapshotHooks, type HooksSnapshot } from './hooks-snapshot.ts';
import { isThere, quarantine, restore, type GuestChange } from '../command/quarantine.ts';
import { fingerprintSubmodules, quarantineSubmodules } from './submodule-check.ts';
import { listSymlinks, quarantineSymlinks, repairLinks } from './worktree-links.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';

/** Maximum size of a configuration or hook. A larger file counts as changed. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** State of a worktree and its repository before the agent. */
export interface WorktreeSnapshot {
  readonly worktree: LockedWorktree;
  /**
   * True if the guest has its own git directory. Only files of the worktree can then have changed.
   */
  readonly hasOwnGit: boolean;
  readonly configText: string;
  /** `config.worktree` of the main checkout and of this one, if they exist. */
  readonly worktreeConfigs: ReadonlyMap<string, string | undefined>;
  readonly hooks: HooksSnapshot;
  /** The user's symbolic links in the git directories. */
  readonly symlinks: ReadonlySet<string>;
  /** Device and inode of the checkout's `.git`. */
  readonly gitEntry: string;
  /** Content of a hook that any `git status` runs, if the hooks are in the worktree itself. */
  readonly indexHook: { readonly path: string; readonly content: string | undefined } | undefined;
  /** Fingerprint of the programs that each populated submodule would run, by path. */
  readonly submodules: ReadonlyMap<string, string>;
}

/** Options of worktree protection. */
export interface ProtectOptions extends GitCallOptions {
  /** True if the guest has its own git directory. @default false */
  readonly hasOwnGit?: boolean;
}

/** Records everything that could run code on the host, before the agent starts. */
export async function protectWorktree(
  worktree: LockedWorktree,
  { hasOwnGit = false, ...options }: ProtectOptions,
): Promise<WorktreeSnapshot> {
  const { commonDir, gitDir, path, repository } = worktree;
  const configPaths = [...new Set([join(commonDir, 'config.worktree'), join(gitDir, 'config.worktree')])];
  const { relativeHooksPath } = await repository.trustedConfig();
  const hookPath =
    relativeHooksPath === undefined ? undefined : join(path, relativeHooksPath, 'post-index-change');
  const configs = hasOwnGit ? [] : configPaths.map((file) => [file, readText(file)] as const);
  const [configText, hooks, symlinks, gitEntry, submodules] = await Promise.all([
    hasOwnGit ? '' : readFile(join(commonDir, 'config'), 'utf8'),
    hasOwnGit ? NO_HOOKS : snapshotHooks(join(commonDir, 'hooks')),
    hasOwnGit ? [] : listSymlinks(commonDir),
    identityOf(join(path, '.git')),
    fingerprintSubmodules(worktreePaths(worktree), options),
  ]);
  return {
    worktree,
    hasOwnGit,
    configText,
    worktreeConfigs: new Map(configs),
    hooks,
    symlinks: new Set(symlinks),
    gitEntry,
    indexHook: hookPath === undefined ? undefined : { path: hookPath, content: readText(hookPath) },
    submodules,
  };
}

/**
 * Compares a worktree with its state before the agent, and makes git safe to use in it, also for a
 * user who types `git status` there.
 *
 * Call it after all processes of the agent have ended, and before any other git call on the
 * worktree. Nothing that the agent wrote is deleted.
 *
 * @returns the findings; empty if nothing was manipulated
 * @throws RepositoryError `git-failed` if the repository itself was replaced
 */
export async function verifyWorktree(
  snapshot: WorktreeSnapshot,
  options: GitCallOptions,
): Promise<GuestChange[]> {
  const { worktree } = snapshot;
  const { path, gitDir, commonDir } = worktree;
  const isLinked = gitDir !== commonDir;
  if (!isLinked && (await identityOf(join(path, '.git'))) !== snapshot.gitEntry) throw replaced(path);
  const findings = snapshot.hasOwnGit
    ? await verifyIndexHook(snapshot)
    : [
        ...(isLinked ? await repairLinks({ path, gitDir, commonDir }, options) : []),
        ...(await quarantineSymlinks(commonDir, snapshot.symlinks)),
        ...(await verifyCommonDir(snapshot, options)),
        ...(await restoreHooks(snapshot.hooks)),
        ...(await verifyIndexHook(snapshot)),
      ];
  // Last, because this check needs git to list the submodules.
  return [
    ...findings,
    ...(await quarantineSubmodules(worktreePaths(worktree), snapshot.submodules, options)),
  ];
}

/** Verifies a worktree, and warns about each finding. Does nothing without a snapshot. */
export async function verifyWithWarnings(
  snapshot: WorktreeSnapshot | undefined,
  { warn, ...options }: GitCallOptions & { readonly warn: (message: string) => void },
): Promise<void> {
  if (snapshot === undefined) return;
  for (const { path, what, action } of await verifyWorktree(snapshot, options)) {
    warn(`The agent changed \`${path}\` (${what}), which could run code on the host: ${action}.`);
  }
}

const NO_HOOKS: HooksSnapshot = { folder: '', isSymlink: false, hooks: new Map() };

async function verifyCommonDir(snapshot: WorktreeSnapshot, options: GitCallOptions): Promise<GuestChange[]> {
  const { commonDir } = snapshot.worktree;
  const findings: GuestChange[] = [];
  const redirect = join(commonDir, 'commondir');
  if (await isThere(redirect)) {
    findings.push(await quarantine(redirect, 'would redirect git to another repository'));
  }
  for (const [file, before] of snapshot.worktreeConfigs) {
    if (await isUnchanged(file, before)) continue;
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
): Promise<GuestChange | undefined> {
  const path = join(worktree.commonDir, 'config');
  if (await isUnchanged(path, configText)) return undefined;
  const folder = await makeTemporaryFolder('config');
  try {
    const before = join(folder, 'config');
    await writeFile(before, configText);
    if ((await isThere(path)) && (await isHarmlessChange(before, path, options))) {
      return { path, what: 'was changed, but only in entries that run no program', action: 'kept' };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return restore(path, configText, 'was changed in entries that can run programs or redirect git');
}

/**
 * Checks the only hook that a plain `git status` runs. With `core.hooksPath=.husky`, the guest can
 * write it.
 */
async function verifyIndexHook({ indexHook }: WorktreeSnapshot): Promise<GuestChange[]> {
  if (indexHook === undefined || !(await isThere(indexHook.path))) return [];
  if (await isUnchanged(indexHook.path, indexHook.content)) return [];
  return [await quarantine(indexHook.path, 'is a hook that every `git status` runs')];
}

function replaced(path: string): RepositoryError {
  return new RepositoryError(
    `\`${join(path, '.git')}\` was replaced while the agent ran; no git command is safe there. Inspect it by hand, and restore the repository from a clone.`,
    { code: 'git-failed' },
  );
}

function readText(path: string): string | undefined {
  return readRegularFileSync(path, { maxBytes: MAX_TEXT_BYTES })?.toString('utf8');
}

/** A pipe, a symlink or a large file has no text, and is not the same as a missing file. */
async function isUnchanged(path: string, before: string | undefined): Promise<boolean> {
  const text = readText(path);
  return text === before && (text !== undefined || !(await isThere(path)));
}

async function identityOf(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'missing' : `${found.dev}:${found.ino}:${found.isDirectory()}`;
}
