/** Private host folders for a sandbox's home and `/etc`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import { writeEtcFolder, type GuestUser } from './etc-folder.ts';
import { syscallFilter } from './syscall-filter.ts';

/** Folders that only this user can enter. */
export interface PrivateFolder {
  /** Mounted as HOME. */
  readonly homePath: string;
  /** Mounted as `/etc`. */
  readonly etcPath: string;
  /** Always empty. Mounted over files that the guest must not read. */
  readonly emptyFilePath: string;
  /** The system call filter. Undefined if this architecture has none. */
  readonly filterPath: string | undefined;
  remove(): Promise<void>;
}

/**
 * Creates the private folders of one sandbox. A guest can fill its home, so only that is on disk.
 * `recoveredHome` is shown instead of a new home.
 */
export async function createPrivateFolder(
  user: GuestUser,
  sharesNetwork: boolean,
  recoveredHome?: string,
): Promise<PrivateFolder> {
  const [onDisk, path] = await Promise.all([
    makeTemporaryFolder('bubblewrap'),
    makeTemporaryFolder('system', { isSmall: true }),
  ]);
  const homePath = join(onDisk, 'home');
  const etcPath = join(path, 'etc');
  const emptyFilePath = join(path, 'empty');
  const filter = syscallFilter(process.arch);
  const filterPath = filter === undefined ? undefined : join(path, 'filter');
  writeEtcFolder(etcPath, user, sharesNetwork);
  await Promise.all([
    mkdir(homePath, { mode: 0o700 }),
    writeFile(emptyFilePath, ''),
    filter !== undefined && filterPath !== undefined && writeFile(filterPath, filter),
  ]);
  const remove = async (): Promise<void> => {
    await Promise.all([onDisk, path].map(removeTree));
  };
  return { homePath: recoveredHome ?? homePath, etcPath, emptyFilePath, filterPath, remove };
}
