/** Visibility of the agent's program, installed anywhere on the host, in the sandbox. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, resolve, sep } from 'node:path';

export interface ProgramBinds {
  readonly arguments: readonly string[];
  readonly path: string;
}

/** Inputs that determine which programs are shown. */
export interface ProgramOptions {
  /** Host paths of programs or folders. */
  readonly readonlyPaths: readonly string[];
  /** The host's PATH. Its order is kept. */
  readonly hostPath: string;
  /** Node itself, which runs agents written in JavaScript. */
  readonly nodePath: string;
  /** Folders that are visible anyway. */
  readonly visiblePaths: readonly string[];
}

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const SYSTEM_ROOTS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store', '/gnu/store'];
const MAX_LINKS = 40;

/**
 * Returns read-only binds of the programs at their own paths, and the PATH that finds them.
 *
 * For a program in `node_modules`, the outermost such folder is bound. For any other program only
 * its file is bound, because its folder can contain anything. Symlinks on the path are recreated,
 * so that a script that resolves its own path finds itself.
 */
export function bindPrograms(options: ProgramOptions): ProgramBinds {
  const shown = new Set<string>();
  const links = new Map<string, string>();
  const isVisible = (path: string): boolean =>
    [...SYSTEM_ROOTS, ...options.visiblePaths, ...shown].some((root) => isInside(path, root));
  const programs = [...options.readonlyPaths, options.nodePath];
  for (const program of programs) {
    const chain = followLinks(program);
    const end = chain.at(-1) ?? program;
    const real = realpathSync(end);
    for (const path of [...new Set([end, real])].map(packageRoot)) if (!isVisible(path)) shown.add(path);
    for (const link of chain.slice(0, -1)) if (!isVisible(link)) links.set(link, readlinkSync(link));
  }
  const linked = [...links].filter(([link]) => !isVisible(link));
  return {
    arguments: [
      ...[...shown].flatMap((path) => ['--ro-bind', path, path]),
      ...linked.flatMap(([link, target]) => ['--symlink', target, link]),
    ],
    path: searchPath(options.hostPath, programs, isVisible),
  };
}

/** Returns true if `path` is `root` or inside it. Both are absolute. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function followLinks(path: string): readonly string[] {
  const chain = [path];
  for (let current = path; chain.length <= MAX_LINKS && isLink(current); chain.push(current)) {
    current = resolve(dirname(current), readlinkSync(current));
  }
  return chain;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Returns the outermost `node_modules` that contains `path`, or else `path`. */
export function packageRoot(path: string): string {
  const name = `${sep}node_modules`;
  const at = path.indexOf(`${name}${sep}`);
  return at === -1 ? path : path.slice(0, at + name.length);
}

function searchPath(
  hostPath: string,
  programs: readonly string[],
  isVisible: (path: string) => boolean,
): string {
  const folders = programs.map((program) => dirname(program));
  const onHost = hostPath.split(delimiter).filter((folder) => isAbsolute(folder));
  const kept = onHost.filter((folder) => isVisible(folder) || folders.includes(folder));
  return [...new Set([...kept, ...folders.filter((folder) => !isVisible(folder)), ...SYSTEM_PATH])].join(
    delimiter,
  );
}
