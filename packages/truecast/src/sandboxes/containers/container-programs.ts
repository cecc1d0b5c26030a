/** Mounts of host programs, for a container whose image might not contain them. */
import { statSync } from 'node:fs';
import { packageRoot } from '../bubblewrap/programs.ts';
import type { ContainerMount } from './container-folder.ts';

/** Mounts and links for programs inside. */
export interface ContainerPrograms {
  readonly mounts: readonly ContainerMount[];
  /** Paths of programs that must be found by name. */
  readonly executables: readonly string[];
}

const EXECUTABLE_BITS = 0o111;

/**
 * Mounts each path at the same path, read-only. For a program in `node_modules`, mounts the
 * outermost such folder.
 *
 * Containers can run host programs only on Linux.
 */
export function containerPrograms(
  readonlyPaths: readonly string[],
  visiblePaths: readonly string[],
): ContainerPrograms {
  if (process.platform !== 'linux') return { mounts: [], executables: [] };
  const isVisible = (path: string): boolean =>
    visiblePaths.some((root) => path === root || path.startsWith(`${root}/`));
  const roots = new Set(readonlyPaths.map(packageRoot).filter((path) => !isVisible(path)));
  return {
    mounts: [...roots].map((path) => ({
      hostPath: path,
      sandboxPath: path,
      readonly: true,
      isLabelled: false,
    })),
    executables: readonlyPaths.filter(isExecutable),
  };
}

function isExecutable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & EXECUTABLE_BITS) !== 0;
}
