/** Private host folder for a sandbox's home, with the small files mounted in its `/etc`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import { syscallFilter } from './syscall-filter.ts';

/** A folder that only this user can enter. */
export interface PrivateFolder {
  readonly path: string;
  /** Mounted as HOME. */
  readonly homePath: string;
  /** Mounted over files of `/etc`: pairs of host path and path inside. */
  readonly etcFiles: readonly (readonly [hostPath: string, sandboxPath: string])[];
  /** Always empty. Mounted over files that the guest must not read. */
  readonly emptyFilePath: string;
  /** The system call filter. Undefined if this architecture has none. */
  readonly filterPath: string | undefined;
  remove(): Promise<void>;
}

/** User of the guest. */
export interface GuestUser {
  readonly uid: number;
  readonly gid: number;
  /** HOME inside. */
  readonly homePath: string;
}

/** User name inside. */
export const GUEST_NAME = 'agent';

/** Creates the private folder of one sandbox. */
export async function createPrivateFolder(user: GuestUser, sharesNetwork: boolean): Promise<PrivateFolder> {
  const path = await makeTemporaryFolder('bubblewrap');
  const homePath = join(path, 'home');
  const emptyFilePath = join(path, 'empty');
  await Promise.all([
    mkdir(homePath, { mode: 0o700 }),
    mkdir(join(path, 'etc')),
    writeFile(emptyFilePath, ''),
  ]);
  const files = etcContents(user, await hostNames(sharesNetwork));
  const etcFiles = await Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      const hostPath = join(path, 'etc', name);
      await writeFile(hostPath, content);
      return [hostPath, `/etc/${name}`] as const;
    }),
  );
  const filter = syscallFilter(process.arch);
  const filterPath = filter === undefined ? undefined : join(path, 'filter');
  if (filter !== undefined && filterPath !== undefined) await writeFile(filterPath, filter);
  return { path, homePath, etcFiles, emptyFilePath, filterPath, remove: () => removeTree(path) };
}

/**
 * Returns our own user list. The host's list reveals its users and can lack the guest's id, without
 * which Node finds no user.
 */
function etcContents({ uid, gid, homePath }: GuestUser, hosts: string): Readonly<Record<string, string>> {
  const root = uid === 0 ? '' : 'root:x:0:0:root:/root:/bin/sh\n';
  return {
    passwd: `${root}${GUEST_NAME}:x:${uid}:${gid}::${homePath}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    group: `${gid === 0 ? '' : 'root:x:0:\n'}${GUEST_NAME}:x:${gid}:\nnogroup:x:65534:\n`,
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n',
    hosts,
  };
}

async function hostNames(sharesNetwork: boolean): Promise<string> {
  const loopback = '127.0.0.1 localhost sandbox\n::1 localhost\n';
  if (!sharesNetwork) return loopback;
  return `${loopback}${await readFile('/etc/hosts', 'utf8').catch(() => '')}`;
}
