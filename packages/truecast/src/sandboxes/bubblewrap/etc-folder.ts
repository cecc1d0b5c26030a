/**
 * `/etc` of a sandbox: one host folder with a generated user list and copies of the host's files.
 * It is mounted as a whole, because each mount delays every command.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ETC_FILES } from './system.ts';
import { readIfPresent } from './system.ts';

export interface GuestUser {
  readonly uid: number;
  readonly gid: number;
  /** HOME inside. */
  readonly homePath: string;
}

/** User name inside. */
export const GUEST_NAME = 'agent';

/** Writes the folder at `path`. Bubblewrap adds the mount points of the host's folders. */
export function writeEtcFolder(path: string, user: GuestUser, sharesNetwork: boolean): void {
  mkdirSync(path);
  for (const file of ETC_FILES) copyIfReadable(file, join(path, file.slice('/etc/'.length)));
  const files = etcContents(user, hostNames(sharesNetwork));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
}

/** Not every distribution has every file. */
function copyIfReadable(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  } catch {
    // The file is then missing inside, as on a host without it.
  }
}

/**
 * Returns a generated user list. The host's list reveals its users. It can also lack the guest's
 * id, without which Node finds no user.
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

function hostNames(sharesNetwork: boolean): string {
  const loopback = '127.0.0.1 localhost sandbox\n::1 localhost\n';
  return sharesNetwork ? `${loopback}${readIfPresent('/etc/hosts')}` : loopback;
}
