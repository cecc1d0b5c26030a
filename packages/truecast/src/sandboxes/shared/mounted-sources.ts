/**
 * Check of mounts after a sandbox has started: an engine resolves the source of a mount itself, and a
 * guest can replace it by a link in the meantime. The kernel's list of mounts names what is mounted.
 */
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';

/** A source and the place that should show it. */
export interface ExpectedMount {
  readonly hostPath: string;
  readonly sandboxPath: string;
}

/** Where a mount comes from: a device, and a path in its file system. */
interface Source {
  readonly device: string;
  readonly root: string;
}

/** Shell line that prints the list, without a program that an image could lack. */
export const LIST_MOUNTS = 'while IFS= read -r line; do printf "%s\\n" "$line"; done < /proc/self/mountinfo';

/** Not in Node's constants. Opens a path without access to its content. */
const O_PATH = 0o10000000;

/**
 * Compares what is mounted with the sources. `known` is a mount that only the host makes: if it does
 * not have its source either, the engine runs elsewhere, such as in a virtual machine, and nothing is
 * compared.
 *
 * @throws RepositoryError `unsafe-path` if another folder is mounted
 */
export function assertMounted(listing: string, mounts: readonly ExpectedMount[], known: ExpectedMount): void {
  const mounted = parse(listing);
  if (!isShown(mounted, known)) return;
  const wrong = mounts.find((mount) => !isShown(mounted, mount));
  if (wrong === undefined) return;
  throw new RepositoryError(
    `Expected the path in \`mounts\` \`${wrong.hostPath}\` to stay the same while the container started, but another folder was mounted. Check what writes there, then run again.`,
    { code: 'unsafe-path' },
  );
}

function isShown(mounted: readonly Mounted[], { hostPath, sandboxPath }: ExpectedMount): boolean {
  const expected = sourceOf(hostPath);
  const found = mounted.findLast(({ place }) => place === posix.normalize(sandboxPath));
  return expected !== undefined && found?.device === expected.device && found.root === expected.root;
}

/** Undefined if a link leads to another path by now. */
function sourceOf(path: string): Source | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_PATH);
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) return undefined;
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const id = /^mnt_id:\s+(\d+)/mu.exec(info)?.[1];
    const mount = parse(readFileSync('/proc/self/mountinfo', 'utf8')).find((one) => one.id === id);
    if (mount === undefined) return undefined;
    return {
      device: mount.device,
      root: posix.join(mount.root, posix.relative(mount.place, path)),
    };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

interface Mounted extends Source {
  readonly id: string;
  readonly place: string;
}

/** `id parent device root place …`, with octal escapes. */
function parse(listing: string): readonly Mounted[] {
  return listing
    .split('\n')
    .map((line) => line.split(' ').map(unescape))
    .filter((fields) => fields.length > 5)
    .map(([id = '', , device = '', root = '', place = '']) => ({ id, device, root, place }));
}

function unescape(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/gu, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 8)),
  );
}
