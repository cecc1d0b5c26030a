/** Session files in the host's stores: lookup, and a reader of regular files with a size limit. */
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { readRegularFile } from '../../support/open-regular-file.ts';
import type { AgentSessionStorage, HostSessionLookup } from '../../ports/agent-sessions.ts';
import { isSessionId } from './session-id.ts';

interface HostLookupRules {
  find(id: string): Promise<HostSessionLookup>;
  /** Returns the path of a session before its capture, if the store determines it. */
  knownPath(id: string, cwd: string): string | undefined;
}

/** The members of a session storage that read the host's store. */
type HostLookups = Pick<
  AgentSessionStorage,
  'readHostSession' | 'existsOnHost' | 'hostSessionFilePath' | 'findByIdOnHost'
> & {
  /** Remembers the path of a captured session, and returns it. */
  remember(id: string, path: string): string;
};

export function hostLookups({ find, knownPath }: HostLookupRules): HostLookups {
  const captured = new Map<string, string>();
  const existing = async (cwd: string, id: string): Promise<string | undefined> => {
    const known = knownPath(id, cwd);
    return known === undefined ? (await find(id)).path : newestFile([known]);
  };
  return {
    remember(id, path) {
      captured.set(id, path);
      return path;
    },
    async readHostSession(cwd, id) {
      const path = await existing(cwd, id);
      return path === undefined ? undefined : readHostSession(path);
    },
    existsOnHost: async (cwd, id) => (await existing(cwd, id)) !== undefined,
    hostSessionFilePath: (cwd, id) => captured.get(id) ?? knownPath(id, cwd),
    findByIdOnHost: find,
  };
}

/** Returns the file modified last, or undefined if none exists. */
export async function newestFile(paths: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(paths.map(async (path) => ({ path, changedAtMs: await changedAt(path) })));
  const [newest] = found
    .filter((file) => file.changedAtMs !== undefined)
    .toSorted((left, right) => (right.changedAtMs ?? 0) - (left.changedAtMs ?? 0));
  return newest?.path;
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    const { mtimeMs, isFile } = await stat(path).then((stats) => ({
      mtimeMs: stats.mtimeMs,
      isFile: stats.isFile(),
    }));
    return isFile ? mtimeMs : undefined;
  } catch {
    return undefined;
  }
}

/** Size limit of a session file. Interactive work with a CLI does not reach it. */
const MAX_BYTES: number = 256 * 1024 * 1024;

/**
 * Reads a session file from the host's store.
 *
 * @throws SandboxError `copy` if it is missing; RepositoryError `unsafe-path` if it is not a
 *   regular file or too large
 */
export async function readHostSession(path: string): Promise<string> {
  const content = await readRegularFile({ root: dirname(path), path: basename(path), maxBytes: MAX_BYTES });
  if (content !== undefined) return content.toString('utf8');
  throw new SandboxError(`The session file \`${path}\` is missing. Run again without \`resumeSession\`.`, {
    code: 'copy',
  });
}

/** Returns the folder that a variable names, else the one below the user's home. */
export function folderOf(variable: string, ...belowHome: readonly string[]): string {
  const folder = process.env[variable] ?? '';
  return folder === '' ? join(homedir(), ...belowHome) : folder;
}

/** Finds the file of a session at any depth below `root`. Of several, returns the one modified last. */
export async function findBelow(
  root: string,
  id: string,
  fileOf: (path: string, id: string) => string | undefined,
): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: root };
  const entries = await readdir(root, { recursive: true }).catch(() => []);
  const own = entries.filter((entry) => fileOf(`/${entry.replaceAll('\\', '/')}`, id) !== undefined);
  return { path: await newestFile(own.map((entry) => join(root, entry))), searchedRoot: root };
}
