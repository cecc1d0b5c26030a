/**
 * Command line of bubblewrap for one sandbox: all binds, in order. Reads the host and changes
 * nothing.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateFolder } from './home.ts';
import { temporaryMounts, type BubblewrapLimits } from './limits.ts';
import { programBinds, systemBinds } from './system.ts';
import { writable, type GuestBind } from '../../ports/guest-bind.ts';
import type { ResolvedMount } from '../shared/mounts.ts';
import { hideOwnFolder } from '../shared/hide-own-folder.ts';
import type { GuestGit } from '../../guest-git/guest-git.ts';

/** Inputs of the command line. */
export interface BubblewrapLayout {
  readonly isolation: IsolationOptions;
  readonly folder: PrivateFolder;
  /** HOME inside. */
  readonly homePath: string;
  readonly programArguments: readonly string[];
  readonly worktreePath: string;
  readonly mounts: readonly ResolvedMount[];
  readonly guestGit: GuestGit | undefined;
  /** Files below `/usr` that are shown empty. */
  readonly hiddenPaths: readonly string[];
  readonly limits: Required<BubblewrapLimits>;
}

/** Arguments that depend on one command. */
export interface CommandBinds {
  /** Arguments of binds that come last. */
  readonly extra: readonly string[];
  /** Binds of the worktree onto itself, by `ownFolderBinds`. */
  readonly own: readonly OwnBind[];
  /** Descriptor in bubblewrap of each mount and bind whose source is open there. */
  readonly descriptors: ReadonlyMap<object, number>;
}

/** A bind with the folders that guests can write, if its source is in one. */
type OwnBind = GuestBind & Pick<ResolvedMount, 'roots'>;

/** Returns the binds that protect `.truecast/` in the worktree. */
export function ownFolderBinds({ worktreePath, guestGit, folder }: BubblewrapLayout): readonly OwnBind[] {
  const isCheckout = guestGit !== undefined;
  const { emptyFilePath } = folder;
  return hideOwnFolder({ worktreePath, isCheckout, emptyFilePath }).map((bind) =>
    bind.type === 'bind' && bind.hostPath !== emptyFilePath ? { ...bind, roots: [worktreePath] } : bind,
  );
}

/** Returns the arguments up to the command and its `--`. */
export function bubblewrapArguments(
  layout: BubblewrapLayout,
  cwd: string,
  { extra, own, descriptors }: CommandBinds,
): readonly string[] {
  const { folder, isolation, homePath, worktreePath } = layout;
  const [below, elsewhere] = [true, false].map((wanted) =>
    layout.mounts
      .filter(({ sandboxPath }) => isBelow(sandboxPath, worktreePath) === wanted)
      .flatMap((mount) => mountArguments(mount, descriptors.get(mount))),
  );
  return [
    isolationFlags(isolation),
    systemBinds({
      sharesNetwork: isolation.sharesNetwork,
      etcPath: folder.etcPath,
      hidden: { paths: layout.hiddenPaths, emptyFilePath: folder.emptyFilePath },
    }),
    temporaryMounts(layout.limits),
    ['--bind', folder.homePath, homePath],
    layout.programArguments,
    // A mount that contains the worktree comes before the worktree, so that it cannot hide it.
    elsewhere ?? [],
    [...(layout.guestGit?.binds ?? [writable(worktreePath)]), ...own].flatMap((bind) =>
      bindArguments(bind, descriptors.get(bind)),
    ),
    below ?? [],
    extra,
    // Remounted here, because a mount of the caller can be below `/etc`. A mount at `/etc` itself
    // covers it.
    layout.mounts.some(({ sandboxPath }) => sandboxPath === '/etc') ? [] : ['--remount-ro', '/etc'],
    readOnlyRoot(cwd),
  ].flat();
}

/**
 * Returns the arguments of a sandbox that only reads the guest's git store. Every mount takes about
 * a millisecond.
 *
 * No mount point is in a folder that the guest writes, so the sandbox can start while the guest
 * works.
 */
export function handOverArguments(layout: BubblewrapLayout, binds: readonly GuestBind[]): readonly string[] {
  const { isolation, folder, homePath, worktreePath } = layout;
  const isOfGuest = ({ sandboxPath }: ResolvedMount): boolean =>
    [homePath, worktreePath].some((root) => sandboxPath === root || isBelow(sandboxPath, root));
  return [
    isolationFlags(isolation),
    programBinds({ paths: layout.hiddenPaths, emptyFilePath: folder.emptyFilePath }),
    layout.programArguments,
    // Git itself can come from a mount. The guest can replace some sources while this sandbox starts.
    layout.mounts
      .filter((mount) => mount.roots === undefined && !isOfGuest(mount))
      .flatMap((mount) => mountArguments(mount)),
    ['--dir', worktreePath],
    binds.flatMap((bind) => bindArguments(bind)),
    readOnlyRoot(worktreePath),
  ].flat();
}

/**
 * The guest of a root user owns the files of the kernel settings. By writing `core_pattern`, it
 * could run any program outside.
 */
function readOnlyRoot(cwd: string): readonly string[] {
  return ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd];
}

/**
 * Returns a mount point that the guest has replaced by a symlink. Bubblewrap would follow it when
 * it creates missing mount points.
 *
 * Only home and worktree can contain one. Everything else inside is created anew for each command.
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

function bindArguments(bind: GuestBind, descriptor?: number): readonly string[] {
  return bind.type === 'empty' ? ['--tmpfs', bind.sandboxPath] : mountArguments(bind, descriptor);
}

function mountArguments(
  { hostPath, sandboxPath, readonly }: ResolvedMount,
  descriptor?: number,
): readonly string[] {
  const option = readonly ? '--ro-bind' : '--bind';
  if (descriptor === undefined) return [option, hostPath, sandboxPath];
  return [`${option}-fd`, String(descriptor), sandboxPath];
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(`${root}/`);
}

/** The guest's user, and its isolation. */
interface IsolationOptions {
  readonly uid: number;
  readonly gid: number;
  /** True if the guest uses the host's network. */
  readonly sharesNetwork: boolean;
  /** True if this version of bubblewrap can forbid user namespaces inside. */
  readonly canDisableUserNamespaces: boolean;
}

/** Returns the flags of the namespaces, the user and the capabilities. */
export function isolationFlags(options: IsolationOptions): readonly string[] {
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    options.sharesNetwork ? [] : ['--unshare-net'],
    options.canDisableUserNamespaces ? ['--disable-userns'] : [],
    ['--uid', String(options.uid), '--gid', String(options.gid)],
    // Run by root, bubblewrap keeps every capability by default.
    ['--cap-drop', 'ALL'],
    // The new session detaches the guest from the caller's terminal. Otherwise it could type
    // commands into the terminal.
    ['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
  ].flat();
}
