/**
 * Sources of mounts as open descriptors. A guest can replace a checked path by a link before
 * bubblewrap mounts it. Bubblewrap compares what it mounted with the descriptor.
 */
import { closeSync, openSync, readlinkSync } from 'node:fs';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { resolveSource, type ResolvedMount } from '../shared/mounts.ts';

/** Open sources of one command. */
export interface MountSources {
  readonly descriptors: readonly number[];
  /** The mounts in the order of their descriptors. */
  readonly mounts: readonly ResolvedMount[];
  /** Call it when bubblewrap has started, which has its own copies. */
  close(): void;
}

/** Not in Node's constants. Opens a path without access to its content. */
const O_PATH = 0o10000000;

/**
 * Opens each source that a guest can replace. Without `canBindDescriptors`, which bubblewrap has
 * since 0.10 and the security updates of older versions, only its path is checked.
 *
 * @throws RepositoryError `unsafe-path` if a source leads out of its root
 */
export function openSources(
  mounts: readonly ResolvedMount[],
  { canBindDescriptors }: { readonly canBindDescriptors: boolean },
): MountSources {
  const replaceable = mounts.filter(({ roots }) => roots !== undefined);
  const descriptors: number[] = [];
  const close = (): void => descriptors.splice(0).forEach((descriptor) => closeSync(descriptor));
  if (!canBindDescriptors) {
    replaceable.forEach(resolveSource);
    return { descriptors, mounts: [], close };
  }
  try {
    for (const mount of replaceable) openSource(resolveSource(mount), descriptors);
  } catch (error) {
    close();
    throw error;
  }
  return { descriptors, mounts: replaceable, close };
}

function openSource(path: string, descriptors: number[]): void {
  const descriptor = openSync(path, O_PATH);
  descriptors.push(descriptor);
  // The kernel knows where the descriptor is, whatever link led to it.
  const opened = readlinkSync(`/proc/self/fd/${descriptor}`);
  if (opened === path) return;
  throw new RepositoryError(
    `Expected the path in \`mounts\` \`${path}\` to stay the same while it was opened, but it led to \`${opened}\`. Check what writes there, then run again.`,
    { code: 'unsafe-path' },
  );
}
