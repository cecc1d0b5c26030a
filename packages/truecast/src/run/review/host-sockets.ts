/**
 * Unix sockets of the host in a checkout: hidden from the sandbox, because a network namespace does
 * not separate sockets that have a path. A process manager or a database can listen there.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { MountConfig } from '../../ports/sandbox-provider.ts';
import { isPathWithin } from '../../support/path-within.ts';

/** `Num RefCount Protocol Flags Type St Inode Path`. Other names are abstract. */
const LINE = /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (?!@)(.+)$/gmu;

/** Mounts the null device over each socket. Sockets that are created later stay visible. */
export function hideHostSockets(topLevel: string): readonly MountConfig[] {
  const root = realPathOf(topLevel) ?? topLevel;
  const named = [...readText('/proc/net/unix').matchAll(LINE)].map(([, name = '']) => name);
  const isRelative = named.some((name) => !isAbsolute(name));
  const folders = isRelative ? [root, ...foldersOfProcesses(root)] : [];
  const paths = named.flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  const found = new Set(paths.map((path) => socketBelow(root, path)).filter((path) => path !== undefined));
  return [...found].map((sandboxPath) => ({ hostPath: devNull, sandboxPath, readonly: true }));
}

/** Returns the working directories of processes below a folder. A socket's name can be relative. */
function foldersOfProcesses(root: string): readonly string[] {
  const folders = new Set<string>();
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/u.test(id)) continue;
    try {
      const folder = readlinkSync(`/proc/${id}/cwd`);
      if (isPathWithin(root, folder)) folders.add(folder);
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  return [...folders];
}

/** Returns the path of a socket relative to the root. Undefined if it is not there. */
function socketBelow(root: string, path: string): string | undefined {
  const folder = realPathOf(dirname(resolve(path)));
  if (folder === undefined || (folder !== root && !isPathWithin(root, folder))) return undefined;
  const place = join(folder, basename(path));
  const isSocket = lstatSync(place, { throwIfNoEntry: false })?.isSocket() === true;
  return isSocket ? relative(root, place) : undefined;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Only Linux has the list. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
