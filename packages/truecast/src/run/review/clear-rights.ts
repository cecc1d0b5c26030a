/**
 * Rights that a guest leaves: setuid and setgid bits of files, and devices. Another user of the
 * machine would get this user's rights, or the host's hardware.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { pathOfEntry, toShownPath, toSystemPath, walkCheckout } from './walk-checkout.ts';

/** A file with rights of the host. */
interface LeftRights {
  /** Relative to the checkout. */
  readonly path: string;
  readonly kind: 'set-id' | 'device' | 'pipe';
  /** False if they could not be removed, or need not be. */
  readonly isCleared: boolean;
}

/** Result of a search. */
interface ClearedRights {
  readonly left: readonly LeftRights[];
  /** False if the checkout has more entries than the search inspects. */
  readonly isComplete: boolean;
}

const MAX_LEFT = 1_000;
const SET_ID = 0o6000;
const PERMISSIONS = 0o1777;
/** Clocks of file systems differ from that of the host. */
const CLOCK_MARGIN_MS = 60_000;
/** Not in Node's constants. Opens a path without access to its content. */
const O_PATH = 0o10000000;
/** Folders of a checkout that are skipped: its git directory, which no guest writes, and other worktrees. */
const SKIPPED: ReadonlySet<string> = new Set([
  '.git',
  '.truecast/worktrees',
  '.truecast/workspaces',
  '.truecast/repositories',
]);

/**
 * Removes setuid and setgid bits, and all permissions of devices, that were set since `sinceMs`.
 * Follows no link. Call it while no process of the guest runs.
 *
 * The setgid bit of a folder gives no rights, and is kept.
 */
export async function clearRights(root: string, sinceMs: number): Promise<ClearedRights> {
  const left: LeftRights[] = [];
  const isComplete = await walkCheckout(root, (folder, entries) => {
    if (left.length > MAX_LEFT) return undefined;
    const folders: string[] = [];
    for (const entry of entries) {
      const path = pathOfEntry(folder, entry);
      if (SKIPPED.has(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      const found = inspect(root, path, entry, sinceMs - CLOCK_MARGIN_MS);
      if (found !== undefined) left.push(found);
    }
    return folders;
  });
  return { left, isComplete };
}

/** Describes the findings, one sentence each. */
export function describeAll({ left, isComplete }: ClearedRights): readonly string[] {
  const rest = 'The agent left too many files to search all of them for setuid bits and devices.';
  return [...left.map(describe), ...(isComplete ? [] : [rest])];
}

function describe({ path: given, kind, isCleared }: LeftRights): string {
  const path = cut(given);
  if (kind === 'pipe') return `The agent left a named pipe at \`${path}\`. A program that reads it waits.`;
  const what = kind === 'set-id' ? 'a setuid or setgid bit' : 'the permissions of a device';
  return isCleared
    ? `The agent left ${what} at \`${path}\`, which was removed.`
    : `The agent left ${what} at \`${path}\`, which could not be removed. Delete this file.`;
}

function inspect(root: string, path: string, entry: Dirent, sinceMs: number): LeftRights | undefined {
  if (entry.isDirectory() || entry.isSymbolicLink() || entry.isSocket()) return undefined;
  const place = toSystemPath(root, path);
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined || found.ctimeMs < sinceMs) return undefined;
  const shown = toShownPath(path);
  if (found.isFIFO()) return { path: shown, kind: 'pipe', isCleared: false };
  const isDevice = found.isBlockDevice() || found.isCharacterDevice();
  if (!isDevice && (found.mode & SET_ID) === 0) return undefined;
  const mode = isDevice ? 0 : found.mode & PERMISSIONS;
  return { path: shown, kind: isDevice ? 'device' : 'set-id', isCleared: change(place, found, mode) };
}

/** Changes the mode of exactly the file that was found. */
function change(place: Buffer, found: Stats, mode: number): boolean {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const hasDescriptorPaths = existsSync('/proc/self/fd');
  let descriptor: number | undefined;
  try {
    descriptor = openSync(place, O_NOFOLLOW | (hasDescriptorPaths ? O_PATH : O_RDONLY | O_NONBLOCK));
    const opened = fstatSync(descriptor);
    if (opened.ino !== found.ino || opened.dev !== found.dev) return false;
    // A descriptor without access to the content has no `fchmod`.
    if (hasDescriptorPaths) chmodSync(`/proc/self/fd/${descriptor}`, mode);
    else fchmodSync(descriptor, mode);
    return true;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
