/** Host system parts that a sandbox shows, read-only. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

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

/** System-wide settings of programs, below an installation prefix: npm's can hold a token. */
const SETTINGS = ['etc/npmrc', 'etc/gitconfig', 'etc/curlrc', 'etc/wgetrc', 'etc/netrc', 'pip.conf'];
const PREFIXES = ['/usr', '/usr/local'];
const CREDENTIAL = /_auth|password|token|extraheader|:\/\/[^/\s@]+@/iu;

/** Files of the host that are shown empty. */
export interface HiddenFiles {
  readonly paths: readonly string[];
  readonly emptyFilePath: string;
}

/** The parts of the system that depend on the sandbox. */
export interface SystemOptions {
  /** Files below `/usr`. */
  readonly hidden: HiddenFiles;
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
export function systemBinds({ sharesNetwork, etcPath, hidden }: SystemOptions): readonly string[] {
  const shown = [...STORES, ...(etcPath === undefined ? ETC_FILES : []), ...ETC_FOLDERS, ...runtimeFolders()];
  return [
    ['--ro-bind', '/usr', '/usr'],
    hide(hidden),
    ROOT_FOLDERS.flatMap(bindOrLink),
    etcPath === undefined ? [] : ['--bind', etcPath, '/etc'],
    shown.flatMap((path) => ['--ro-bind-try', path, path]),
    // Not copied, because another network can change it between two commands.
    sharesNetwork ? ['--ro-bind-try', '/etc/resolv.conf', '/etc/resolv.conf'] : [],
    ['--proc', '/proc', '--dev', '/dev', '--dir', '/run'],
  ].flat();
}

/** Returns the binds that git alone needs: programs, their libraries, and devices. */
export function programBinds(hidden: HiddenFiles): readonly string[] {
  const paths = [...STORES, '/etc/alternatives', '/etc/ld.so.cache'];
  return [
    ['--ro-bind', '/usr', '/usr'],
    hide(hidden),
    ROOT_FOLDERS.flatMap(bindOrLink),
    paths.flatMap((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc', '--dev', '/dev', '--dir', '/run'],
  ].flat();
}

function hide({ paths, emptyFilePath }: HiddenFiles): readonly string[] {
  return paths.flatMap((path) => ['--ro-bind', emptyFilePath, path]);
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

/**
 * Returns the settings that hold a credential. A sandbox shows them empty. All others stay visible,
 * because each mount makes every command start later.
 */
export function findSystemCredentials(prefixes: readonly string[] = PREFIXES): readonly string[] {
  return prefixes
    .flatMap((prefix) => SETTINGS.map((name) => join(prefix, name)))
    .filter((path) => CREDENTIAL.test(readIfPresent(path)));
}

/** Returns the text of a file of the system. Empty if this user cannot read it. */
export function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A file that this user cannot read is not readable inside either.
    return '';
  }
}
