/** Owns the command line of bubblewrap for one sandbox: what is bound where, and in which order. Reads the host, changes nothing. */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isolationFlags, type IsolationOptions } from './flags.ts';
import { worktreeBinds } from './git.ts';
import type { PrivateFolder } from './home.ts';
import { systemBinds } from './system.ts';
import type { GuestBind } from '../guest-bind.ts';
import { hideOwnFolder } from '../hide-own-folder.ts';
import type { WorktreeGitPaths } from '../sandbox-provider.ts';

/** A mount with both of its paths absolute. */
export interface ResolvedMount {
  readonly hostPath: string;
  readonly sandboxPath: string;
  readonly readonly: boolean;
}

/** What the command line is made of. */
export interface BubblewrapLayout {
  readonly isolation: IsolationOptions;
  readonly folder: PrivateFolder;
  /** HOME inside. */
  readonly homePath: string;
  readonly programArguments: readonly string[];
  readonly worktreePath: string;
  readonly mounts: readonly ResolvedMount[];
  readonly git: WorktreeGitPaths | undefined;
}

/** Returns the arguments up to the command and its `--`. `extra` is bound last. */
export function bubblewrapArguments(
  layout: BubblewrapLayout,
  cwd: string,
  extra: readonly string[],
): readonly string[] {
  const { folder, isolation, homePath, worktreePath } = layout;
  const [below, elsewhere] = [true, false].map((wanted) =>
    layout.mounts
      .filter(({ sandboxPath }) => isBelow(sandboxPath, worktreePath) === wanted)
      .flatMap(mountArguments),
  );
  return [
    isolationFlags(isolation),
    systemBinds(isolation.sharesNetwork),
    folder.etcFiles.flatMap(([hostPath, sandboxPath]) => ['--ro-bind', hostPath, sandboxPath]),
    ['--bind', folder.homePath, homePath],
    layout.programArguments,
    // A mount that contains the worktree comes before it, so that it cannot hide it.
    elsewhere ?? [],
    [
      ...worktreeBinds(worktreePath, layout.git),
      ...hideOwnFolder(worktreePath, folder.emptyFilePath),
    ].flatMap(bindArguments),
    below ?? [],
    extra,
    // Of the kernel's settings, root's guest owns the files: `core_pattern` alone would run a program of its choice outside.
    ['--remount-ro', '/proc', '--remount-ro', '/', '--chdir', cwd],
  ].flat();
}

/**
 * Finds a place to mount on that the guest has replaced by a link: bubblewrap would follow it when it makes what is missing.
 *
 * Only home and worktree can hold one; everything else inside is made anew for each command.
 */
export function findMovedMountPoint(layout: BubblewrapLayout): string | undefined {
  const roots = [
    [layout.homePath, layout.folder.homePath],
    [layout.worktreePath, layout.worktreePath],
  ] as const;
  for (const { sandboxPath } of layout.mounts) {
    const root = roots.find(([inside]) => isBelow(sandboxPath, inside));
    if (root === undefined) continue;
    const parts = sandboxPath.slice(root[0].length + 1).split('/');
    let path = realpathSync(root[1]);
    for (const part of parts) {
      path = join(path, part);
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return path;
    }
  }
  return undefined;
}

function bindArguments(bind: GuestBind): readonly string[] {
  if (bind.type === 'empty') return ['--tmpfs', bind.sandboxPath];
  return bind.type === 'link' ? ['--symlink', bind.target, bind.sandboxPath] : mountArguments(bind);
}

function mountArguments({ hostPath, sandboxPath, readonly }: ResolvedMount): readonly string[] {
  return [readonly ? '--ro-bind' : '--bind', hostPath, sandboxPath];
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(`${root}/`);
}
