/** Owns how the agent's program, installed anywhere on the host, is found and seen inside. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, resolve, sep } from 'node:path';

/** What programs need inside. */
export interface ProgramBinds {
  readonly arguments: readonly string[];
  readonly path: string;
}

/** What decides which programs are shown. */
export interface ProgramOptions {
  /** Host paths of programs or folders. */
  readonly readonlyPaths: readonly string[];
  /** The host's PATH, whose order is kept. */
  readonly hostPath: string;
  /** Node itself, which agents written in JavaScript start. */
  readonly nodePath: string;
  /** Folders that are shown anyway. */
  readonly visiblePaths: readonly string[];
}

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const SYSTEM_ROOTS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store', '/gnu/store'];
const MAX_LINKS = 40;

/**
 * Returns read-only binds of the programs at their own paths, and the PATH that finds them.
 *
 * Of a program in `node_modules` the outermost such folder is shown, of another only its file: its folder may hold anything.
 * Links on the way are made anew, so that a script that resolves its own path finds itself.
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

/** Tells whether `path` is `root` or lies in it. Both absolute. */
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

/** Returns the outermost `node_modules` that holds `path`, or else `path`. */
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
