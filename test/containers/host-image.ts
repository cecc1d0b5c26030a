/**
 * Builds a container image from this machine's programs, because tests reach no registry: a root
 * file system in one tar.
 */
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { findProgram } from '../../packages/truecast/src/run/prepare/find-program.ts';

/** Programs for the contract suite's commands, an agent, and the image of the server. */
const PROGRAMS = (
  'bash sh git bwrap catatonit awk find grep ps sed setsid tar base64 cat chmod chown cp dirname env fold head id ln ls mkdir ' +
  'mkfifo mktemp mv perl printf readlink rm seq sleep sort stat tail tee touch tr true uname unshare wc xargs'
).split(' ');
const SEARCH_PATH = '/usr/bin:/bin';
/** Folder of git's internal programs. */
const GIT_FOLDER = '/usr/lib/git-core';
/** Those that no guest starts, 2 MB each: what imports an image reads every byte several times. */
const NOT_OF_GUESTS = [
  'git-daemon',
  'git-http-backend',
  'git-http-fetch',
  'git-http-push',
  'git-imap-send',
  'git-sh-i18n--envsubst',
  'git-shell',
  'scalar',
];
/** Binary agents are linked against these libraries, which every distribution's image has. */
const PARTS_OF_LIBC = [
  'libdl.so.2',
  'libm.so.6',
  'libpthread.so.0',
  'libresolv.so.2',
  'librt.so.1',
  'libutil.so.1',
];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const MAX_LINKS = 10;

/** Options of the image. */
export interface HostImageOptions {
  /** False for a small image in which `egress: "model"` cannot work: without git's internal programs too. @default true */
  readonly hasNode?: boolean;
}

/** Writes the tar of an image with bash, coreutils, git and this Node to `tarPath`. */
export async function writeHostImage(
  tarPath: string,
  { hasNode = true }: HostImageOptions = {},
): Promise<void> {
  const skeleton = await mkdtemp(join(tmpdir(), 'host-image-'));
  try {
    await makeSkeleton(skeleton);
    if (hasNode) await copyFile(process.execPath, join(skeleton, 'usr/local/bin/node'));
    const programs = await Promise.all(PROGRAMS.map((name) => findProgram(name, SEARCH_PATH)));
    const binaries = [
      ...programs.flatMap((found) => (found === undefined ? [] : [found.path])),
      ...(hasNode ? await readdir(GIT_FOLDER, { withFileTypes: true }) : [])
        .filter((entry) => !entry.isDirectory() && !NOT_OF_GUESTS.includes(entry.name))
        .map(({ name }) => join(GIT_FOLDER, name)),
    ];
    // Most of git's programs are links to one file, and `ldd` starts three programs for each path.
    const targets = new Set(await Promise.all(binaries.map(async (path) => realpath(path))));
    const libraries = await librariesOf([...targets, ...(hasNode ? [process.execPath] : [])]);
    const files = (await Promise.all([...binaries, ...libraries].map(withLinkTargets))).flat();
    const input = [...new Set(files)].map((path) => path.slice(1)).join('\n');
    await execa('tar', ['-cf', tarPath, '-C', skeleton, '.', '-C', '/', '--no-recursion', '-T', '-'], {
      input,
    });
  } finally {
    await rm(skeleton, { recursive: true });
  }
}

async function makeSkeleton(root: string): Promise<void> {
  const folders = [
    'etc/ssl/certs',
    'home/agent',
    'proc',
    'dev',
    'sys',
    'run',
    'root',
    'usr/bin',
    'usr/local/bin',
    'usr/lib',
    'usr/lib64',
  ];
  await Promise.all(
    [...folders, 'tmp', 'var/tmp'].map((name) => mkdir(join(root, name), { recursive: true })),
  );
  // Only its owner can access a temporary folder, and this one becomes the image's root.
  await chmod(root, 0o755);
  await execa('chmod', ['1777', join(root, 'tmp'), join(root, 'var/tmp')]);
  await Promise.all(['bin', 'lib', 'lib64'].map((name) => symlink(`usr/${name}`, join(root, name))));
  // Both start one program as its init.
  await symlink('catatonit', join(root, 'usr/bin/tini'));
  await writeFile(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000::/home/agent:/bin/sh\n',
  );
  // Some CLIs do not start without certificates, although they use none here.
  await copyFile(CERTIFICATES, join(root, CERTIFICATES));
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nagent:x:1000:\n');
}

async function librariesOf(binaries: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await execa('ldd', binaries, { reject: false });
  const found = [...new Set(stdout.match(/(?<=\s)\/[^\s:]+(?= \(0x)/gu))];
  const libc = found.find((path) => path.includes('/libc.so'));
  const parts = libc === undefined ? [] : PARTS_OF_LIBC.map((name) => join(dirname(libc), name));
  return [...found, ...parts.filter((path) => existsSync(path))];
}

/**
 * Returns a path and all targets of symbolic links on it, including folders of the merged `/usr`.
 */
async function withLinkTargets(path: string): Promise<readonly string[]> {
  const chain = [await inUsr(path)];
  for (let last = chain[0] ?? path; chain.length <= MAX_LINKS && (await lstat(last)).isSymbolicLink();) {
    last = await inUsr(resolve(dirname(last), await readlink(last)));
    chain.push(last);
  }
  return chain;
}

/** The tar must not contain both `/lib` as a link and files under it. */
function inUsr(path: string): Promise<string> {
  return Promise.resolve(path.replace(/^\/(bin|lib|lib64)\//u, '/usr/$1/'));
}
