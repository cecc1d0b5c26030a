/** Host system parts that a sandbox shows, read-only. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';

/** Symlinks into `/usr` or separate folders, depending on the distribution. */
const ROOT_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const STORES = ['/nix/store', '/gnu/store'];

/** Files of `/etc` that programs need and that contain no secrets. */
export const ETC_FILES: readonly string[] = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates.conf',
  '/etc/mime.types',
  '/etc/protocols',
  '/etc/services',
];

/** Folders of `/etc` with the same properties. `/etc/ssl` as a whole contains private keys. */
const ETC_FOLDERS = [
  '/etc/alternatives',
  '/etc/ld.so.conf.d',
  '/etc/ssl/certs',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/terminfo',
];

/** The parts of the system that depend on the sandbox. */
export interface SystemOptions {
  readonly sharesNetwork: boolean;
  /**
   * Host folder that is `/etc` inside, with copies of the files. The caller remounts it read-only
   * at the end.
   */
  readonly etcPath: string | undefined;
}

/**
 * Returns the binds of the host's programs and of the parts of `/etc` without secrets. The mounts
 * of temporary folders must come after them.
 */
export function systemBinds({ sharesNetwork, etcPath }: SystemOptions): readonly string[] {
  const shown = [...STORES, ...(etcPath === undefined ? ETC_FILES : []), ...ETC_FOLDERS, ...runtimeFolders()];
  return [
    ['--ro-bind', '/usr', '/usr'],
    ROOT_FOLDERS.flatMap(bindOrLink),
    etcPath === undefined ? [] : ['--bind', etcPath, '/etc'],
    shown.flatMap((path) => ['--ro-bind-try', path, path]),
    // Not copied, because another network can change it between two commands.
    sharesNetwork ? ['--ro-bind-try', '/etc/resolv.conf', '/etc/resolv.conf'] : [],
    ['--proc', '/proc', '--dev', '/dev', '--dir', '/run'],
  ].flat();
}

/** Returns the binds that git alone needs: programs, their libraries, and devices. */
export function programBinds(): readonly string[] {
  const paths = [...STORES, '/etc/alternatives', '/etc/ld.so.cache'];
  return [
    ['--ro-bind', '/usr', '/usr'],
    ROOT_FOLDERS.flatMap(bindOrLink),
    paths.flatMap((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc', '--dev', '/dev', '--dir', '/run'],
  ].flat();
}

function bindOrLink(path: string): readonly string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Debian's Java reads its configuration from `/etc/java-<version>`. */
function runtimeFolders(): readonly string[] {
  return readdirSync('/etc')
    .filter((name) => /^java(-[\w.-]+)?$/.test(name))
    .map((name) => `/etc/${name}`);
}
