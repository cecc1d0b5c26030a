/** Private host folder for a sandbox's home and `/etc`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import { writeEtcFolder, type GuestUser } from './etc-folder.ts';
import { syscallFilter } from './syscall-filter.ts';

/** A folder that only this user can enter. */
export interface PrivateFolder {
  readonly path: string;
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

/** Creates the private folder of one sandbox. */
export async function createPrivateFolder(user: GuestUser, sharesNetwork: boolean): Promise<PrivateFolder> {
  const path = await makeTemporaryFolder('bubblewrap');
  const homePath = join(path, 'home');
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
  return { path, homePath, etcPath, emptyFilePath, filterPath, remove: () => removeTree(path) };
}
