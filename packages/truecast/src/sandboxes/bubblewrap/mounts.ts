/** Resolution of a caller's mounts to checked, absolute paths. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, resolve } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { guardWritableFolders } from '../../support/search-path.ts';
import type { ResolvedMount } from './arguments.ts';
import type { MountConfig } from '../../ports/sandbox-provider.ts';

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
 * @throws UsageError if a host path does not exist
 */
export function resolveMounts(mounts: readonly MountConfig[], bases: MountBases): readonly ResolvedMount[] {
  const resolved = mounts.map((mount) => resolveMount(mount, bases));
  guardWritableFolders(resolved.flatMap(({ hostPath, readonly }) => (readonly ? [] : [hostPath])));
  return resolved;
}

function resolveMount(mount: MountConfig, bases: MountBases): ResolvedMount {
  const hostPath = resolve(bases.hostRepoPath, expandHome(mount.hostPath, homedir()));
  if (!existsSync(hostPath)) {
    throw new UsageError(
      `Expected the paths in \`mounts\` to exist, got \`${hostPath}\`. Create it, or remove the mount.`,
    );
  }
  return {
    hostPath,
    sandboxPath: resolveInside(mount.sandboxPath, bases),
    readonly: mount.readonly ?? false,
  };
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
