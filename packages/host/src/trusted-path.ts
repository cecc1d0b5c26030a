/**
 * Trusted path: resolves a path of an option, a setting or a repository before another program gets
 * it, or before it is written to.
 *
 * A repository or a guest can place a link in every folder that it writes. Below such a root, which
 * is a checkout or a folder that the caller names, a link is followed only if its target is below
 * the same root. Links outside of every root belong to the user, and are followed.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';

export interface TrustedPathOptions {
  /** The option or setting that contains the path, for the message, such as `` `cwd` ``. */
  readonly option: string;
  /** Folders that guests can write, in addition to checkouts. */
  readonly roots?: readonly string[];
}

/** A path without links. */
export interface TrustedPath {
  /** Real path. Components that do not exist are appended unchanged. */
  readonly path: string;
  /** Innermost root that contains it. Undefined if no guest and no repository writes there. */
  readonly root: string | undefined;
}

/** Linux follows this many links of one path. */
const MOST_LINKS = 40;

/**
 * Returns the real path of `path`.
 *
 * The path can be replaced afterwards. A caller that starts a program with it must compare what the
 * program opened with the result.
 *
 * @throws RepositoryError `unsafe-path` for a link below a root that leads out of it
 */
export function trustedPath(path: string, options: TrustedPathOptions): TrustedPath {
  const given = resolve(path);
  const isRoot = rootTest(options.roots ?? []);
  const start = parse(given).root;
  let current = start;
  let root = isRoot(start) ? start : undefined;
  const rest = namesOf(relative(start, given));
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const place = join(current, name);
    const found = statOf(place, root !== undefined);
    if (found === 'missing') return { path: join(place, ...rest), root };
    if (found === 'unreadable') throw refused(options, { given, place, root, what: 'what cannot be read' });
    if (found !== 'link') {
      current = place;
      root = name === '..' ? innermost(current, isRoot) : isRoot(current) ? current : root;
      continue;
    }
    links += 1;
    const target = readlinkSync(place);
    if (root === undefined && links <= MOST_LINKS) {
      if (isAbsolute(target)) current = parse(target).root;
      rest.unshift(...namesOf(target));
      continue;
    }
    const real = realPathOf(place);
    if (real === undefined || root === undefined || !isAtOrBelow(root, real)) {
      throw refused(options, { given, place, root, what: `a symbolic link to \`${real ?? target}\`` });
    }
    current = real;
    root = innermost(real, isRoot) ?? root;
  }
  return { path: current, root };
}

/** Returns a test for real paths: is this folder a checkout, or one of `roots`? */
function rootTest(roots: readonly string[]): (folder: string) => boolean {
  const known = new Set(roots.map((root) => realPathOf(root) ?? resolve(root)));
  return (folder) => known.has(folder) || statOf(join(folder, '.git'), false) !== 'missing';
}

function innermost(folder: string, isRoot: (folder: string) => boolean): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (isRoot(current)) return current;
    if (dirname(current) === current) return undefined;
  }
}

/** Outside of a root the next program reports what it cannot read. */
function statOf(place: string, isBelowRoot: boolean): 'link' | 'other' | 'missing' | 'unreadable' {
  try {
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    return found.isSymbolicLink() ? 'link' : 'other';
  } catch {
    return isBelowRoot ? 'unreadable' : 'missing';
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function isAtOrBelow(folder: string, path: string): boolean {
  const between = relative(folder, path);
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}

interface Refusal {
  readonly given: string;
  readonly place: string;
  readonly root: string | undefined;
  readonly what: string;
}

function refused({ option }: TrustedPathOptions, { given, place, root, what }: Refusal): RepositoryError {
  const expected = root === undefined ? 'to exist' : `to stay below \`${root}\``;
  return new RepositoryError(
    `Expected ${option} \`${given}\` ${expected}, but \`${place}\` is ${what}. A repository or an agent can have created it. Check its origin, then remove it. If you trust its target, pass the path of the target.`,
    { code: 'unsafe-path' },
  );
}
