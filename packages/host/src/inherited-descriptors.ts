/**
 * Inherited file descriptors: covers them in every child process, so that no agent receives one.
 *
 * Node marks the descriptors that it opens as close-on-exec. It passes on those that a parent left
 * open above 15, or behind a gap. An open directory would give a sandboxed guest the host's files.
 * `fcntl` is not in Node, so a child gets the null device at those numbers. On macOS libuv closes
 * them itself (`POSIX_SPAWN_CLOEXEC_DEFAULT`).
 */
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

const CLOSE_ON_EXEC = 0o2_000_000;
const STANDARD_DESCRIPTORS = 3;

let inherited: readonly number[] | undefined;

/**
 * Returns the open descriptors above 2 that a child would inherit. Scanned once, because Node
 * itself opens none of this kind.
 */
function inheritedDescriptors(): readonly number[] {
  inherited ??= process.platform === 'linux' ? openDescriptors().filter(isPassedOn) : [];
  return inherited;
}

/**
 * Starts a child by `start`, which appends `covers` to its `stdio` of `count` entries. The child
 * then inherits no other descriptors.
 *
 * `start` must start the child before it returns, because the null device is closed after it.
 */
export function withPrivateDescriptors<TResult>(
  count: number,
  start: (covers: (number | 'ignore')[]) => TResult,
): TResult {
  const leaked = inheritedDescriptors().filter((descriptor) => descriptor >= count);
  if (leaked.length === 0) return start([]);
  const nothing = openSync(devNull, 'r');
  try {
    const covers: (number | 'ignore')[] = [];
    for (const descriptor of leaked) {
      while (count + covers.length < descriptor) covers.push('ignore');
      covers.push(nothing);
    }
    return start(covers);
  } finally {
    closeSync(nothing);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor >= STANDARD_DESCRIPTORS)
      .sort((one, other) => one - other);
  } catch {
    return [];
  }
}

function isPassedOn(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const flags = Number.parseInt(/^flags:\s+([0-7]+)/mu.exec(info)?.[1] ?? '', 8);
    return (flags & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed since the listing, which had a descriptor open itself.
    return false;
  }
}
