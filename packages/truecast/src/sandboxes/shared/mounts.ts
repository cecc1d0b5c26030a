/** Resolution of a caller's mounts to checked, absolute paths without links. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, resolve } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { guardWritableFolders } from '../../support/search-path.ts';
import type { MountConfig } from '../../ports/sandbox-provider.ts';

/** A mount with both of its paths absolute. */
export interface ResolvedMount {
  readonly hostPath: string;
  readonly sandboxPath: string;
  readonly readonly: boolean;
  /** Folders that guests can write, if the host path is in one or in a checkout. */
  readonly roots?: readonly string[];
}

/** Base folders of a mount's relative paths. */
export interface MountBases {
  readonly hostRepoPath: string;
  readonly worktreePath: string;
  /** HOME inside. */
  readonly homePath: string;
}

/**
 * Resolves the paths of mounts. The host takes no program from those that the guest can write.
 *
 * A guest can make its source a link between two commands, so `openSources` is called for each one.
 *
 * @throws UsageError if a host path does not exist; RepositoryError `unsafe-path` if a link of a
 *   checkout, of the worktree or of a writable mount leads out of it
 */
export function resolveMounts(mounts: readonly MountConfig[], bases: MountBases): readonly ResolvedMount[] {
  const roots = rootsOf(mounts, bases);
  const resolved = mounts.map((mount) => resolveMount(mount, bases, roots));
  guardWritableFolders(resolved.flatMap(({ hostPath, readonly }) => (readonly ? [] : [hostPath])));
  return resolved;
}

/**
 * Resolves a source again.
 *
 * @throws RepositoryError `unsafe-path` if it leads out of its root by now
 */
export function resolveSource({ hostPath, roots }: ResolvedMount): string {
  return roots === undefined ? hostPath : trustedPath(hostPath, { option: OPTION, roots }).path;
}

/** Returns the mounts whose host path does not lead out of its root. */
export function safeMounts(mounts: readonly ResolvedMount[]): readonly ResolvedMount[] {
  return mounts.filter((mount) => {
    try {
      resolveSource(mount);
      return true;
    } catch {
      return false;
    }
  });
}

const OPTION = 'the path in `mounts`';

/** Folders that guests can write. */
function rootsOf(mounts: readonly MountConfig[], bases: MountBases): readonly string[] {
  const writable = mounts.filter(({ readonly }) => readonly !== true);
  return [bases.hostRepoPath, bases.worktreePath, ...writable.map((mount) => givenPath(mount, bases))];
}

function resolveMount(mount: MountConfig, bases: MountBases, roots: readonly string[]): ResolvedMount {
  const given = givenPath(mount, bases);
  // A mount is not below itself.
  const others = roots.filter((root) => root !== given);
  const { path: hostPath, root } = trustedPath(given, { option: OPTION, roots: others });
  if (!existsSync(hostPath)) {
    throw new UsageError(
      `Expected the paths in \`mounts\` to exist, got \`${given}\`. Create it, or remove the mount.`,
    );
  }
  return {
    hostPath,
    sandboxPath: resolveInside(mount.sandboxPath, bases),
    readonly: mount.readonly ?? false,
    ...(root !== undefined && { roots: others }),
  };
}

function givenPath({ hostPath }: MountConfig, { hostRepoPath }: MountBases): string {
  return resolve(hostRepoPath, expandHome(hostPath, homedir()));
}

/** Resolves a path inside: `~` is HOME, a relative path is in the worktree. */
export function resolveInside(
  path: string,
  { worktreePath, homePath }: Omit<MountBases, 'hostRepoPath'>,
): string {
  return posix.resolve(worktreePath, expandHome(path, homePath));
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}
