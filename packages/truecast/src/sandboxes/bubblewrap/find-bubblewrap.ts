/** Location and features of the host's bubblewrap. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runProgram } from '../../process/run-program.ts';
import { hostSearchPath } from '../../support/search-path.ts';

export interface Bubblewrap {
  /** Absolute, because a command's own environment can contain another PATH. */
  readonly path: string;
  readonly canDisableUserNamespaces: boolean;
  /** True if a mount's source can be an open descriptor. */
  readonly canBindDescriptors: boolean;
}

const found = new Map<string, Promise<Bubblewrap>>();

/** Returns the bubblewrap on the host's PATH, or undefined. Its features are detected once. */
export function findBubblewrap(searchPath: string = hostSearchPath()): Promise<Bubblewrap> | undefined {
  const path = searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, 'bwrap'))
    .find(isExecutable);
  if (path === undefined) return undefined;
  const known = found.get(path) ?? describe(path);
  found.set(path, known);
  return known;
}

async function describe(path: string): Promise<Bubblewrap> {
  const { stdout } = await runProgram(path, ['--help']);
  return {
    path,
    canDisableUserNamespaces: stdout.includes('--disable-userns'),
    canBindDescriptors: stdout.includes('--ro-bind-fd'),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
