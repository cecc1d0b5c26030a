/** Owns how a program of the host is seen in a container, whose image may lack it. */
import { statSync } from 'node:fs';
import { packageRoot } from '../bubblewrap/programs.ts';
import type { ContainerMount } from './container-folder.ts';

/** What shows programs inside. */
export interface ContainerPrograms {
  readonly mounts: readonly ContainerMount[];
  /** Paths of programs, to be found by their names. */
  readonly executables: readonly string[];
}

const EXECUTABLE_BITS = 0o111;

/**
 * Shows each path at itself, read-only; of a program in `node_modules` the outermost such folder.
 *
 * Only Linux runs what the host runs.
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
