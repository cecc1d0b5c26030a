/** Host filter overrides: the `-c` entries that pin every filter driver for git on the host. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { FilterDriver } from './filter-driver.ts';
import { loadsFromCurrentFolder } from './judge-command.ts';

/** Overrides that turn off every driver, for files and attributes that a guest can have written. */
export function neutralFilters(drivers: readonly Pick<FilterDriver, 'name'>[]): string[] {
  return drivers.flatMap(({ name }) => turnedOff(name));
}

/**
 * Overrides that keep every trusted driver as it was recorded, and turn off the others.
 *
 * Later configuration changes by a guest have no effect. git-lfs downloads nothing, because the
 * address is in `.lfsconfig`, a file that a guest can write.
 */
export function hostFilters(drivers: readonly FilterDriver[], home: string): string[] {
  const pinned = drivers.flatMap((driver) => pin(driver, driver.isRequired, home));
  return [...pinned, ...(drivers.some(isLfs) ? LFS_OFFLINE : [])];
}

/**
 * Like `hostFilters`, for the checkout of a new worktree, which no guest has seen.
 *
 * Every driver is required, because a file that a failed filter left unchanged would be cleaned
 * twice. git-lfs can download.
 */
export function creationFilters(drivers: readonly FilterDriver[], home: string): string[] {
  return drivers.flatMap((driver) =>
    pin(driver, driver.smudge !== undefined || driver.process !== undefined, home),
  );
}

/**
 * Missing objects stay pointers, and git-lfs opens no connection. A URL in git's own configuration
 * takes precedence over `.lfsconfig`.
 */
export const LFS_OFFLINE: readonly string[] = [
  'lfs.url=file:///dev/null/none',
  'lfs.skipdownloaderrors=true',
];

/** True for git-lfs, whatever the driver's name is. */
export function isLfs({ clean = '', smudge = '', process = '' }: FilterDriver): boolean {
  return [clean, smudge, process].some((command) => /git[- ]lfs/u.test(command));
}

function pin(driver: FilterDriver, isRequired: boolean, home: string): string[] {
  const { name, distrust, clean, smudge, process } = driver;
  if (distrust !== undefined) return turnedOff(name);
  // An empty `process` would turn off the two commands, so an absent one stays absent.
  const commands = Object.entries({ clean, smudge, process }).flatMap(([kind, command]) =>
    command === undefined ? [] : [override(name, kind, fromRoot(command, home))],
  );
  return [...commands, override(name, 'required', String(isRequired))];
}

function turnedOff(name: string): string[] {
  const commands = ['clean', 'smudge', 'process'].map((kind) => override(name, kind, ''));
  return [...commands, override(name, 'required', 'false')];
}

function override(name: string, key: string, value: string): string {
  // `-c filter.a=b.clean=` would set another key, and leave the driver enabled.
  if (name.includes('=')) throw unnameable(name);
  return `filter.${name}.${key}=${value}`;
}

/** `python3 -m nbstripout` in a worktree would load a guest's `nbstripout.py`: git starts filters in the worktree. */
function fromRoot(command: string, home: string): string {
  return loadsFromCurrentFolder(command, home) ? `cd / && ${command}` : command;
}

function unnameable(name: string): UsageError {
  return new UsageError(
    `The filter driver \`${name}\` cannot be overridden, because its name contains \`=\`. Rename it in your git configuration and in \`.gitattributes\`.`,
    { code: 'unsupported' },
  );
}
