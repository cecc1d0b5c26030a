/**
 * Reader of a checkout's HEAD reflog: the commits at which its HEAD was since a mark, and those that
 * were created there. It attributes commits to the agent of this checkout, although other runs and
 * the user work in the repository too.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

export interface HeadLogMark {
  readonly size: number;
  /** Last bytes before the position. They differ if the log was rewritten. */
  readonly tail: string;
}

/** A log of one year with a commit each minute has about 80 MB. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;
const TAIL_CHARS = 512;

/** Creates the log of a new worktree if the user has switched logs off. Git appends to it. */
export function createHeadLog(gitDir: string): void {
  mkdirSync(join(gitDir, 'logs'), { recursive: true });
  writeFileSync(join(gitDir, 'logs', 'HEAD'), '', { flag: 'a' });
}

/** Returns the current end of the log. */
export function markHeadLog(gitDir: string): HeadLogMark {
  const text = readReferenceLog(gitDir, 'HEAD');
  return { size: text.length, tail: text.slice(-TAIL_CHARS) };
}

/**
 * Returns the ids at which HEAD was after the mark. Returns the ids of the whole log if git has
 * rewritten it. Empty if the repository has no such log.
 */
export function headsSince(gitDir: string, mark: HeadLogMark): ReadonlySet<string> {
  const ids = linesSince(gitDir, mark).map((line) => /^[0-9a-f]+ ([0-9a-f]{40,64}) /u.exec(line)?.[1]);
  return new Set(ids.filter((id) => id !== undefined));
}

/**
 * Returns the commits of a detached HEAD that a checkout left after the mark. Git itself warns about
 * them: no name leads to them any more. Commits that were amended or reset are not among them.
 */
export function leftSince(gitDir: string, mark: HeadLogMark): readonly string[] {
  const ids = linesSince(gitDir, mark).map((line) => LEFT.exec(line)?.[1]);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

const LEFT = /\tcheckout: moving from ([0-9a-f]{40,64}) to /u;

/**
 * Returns the commits that were created at this HEAD after the mark. Others, such as those of a
 * fast-forward, were only checked out.
 */
export function madeSince(gitDir: string, mark: HeadLogMark): ReadonlySet<string> {
  const ids = linesSince(gitDir, mark).map((line) => MADE.exec(line)?.[1]);
  return new Set(ids.filter((id) => id !== undefined));
}

const MADE =
  /^[0-9a-f]+ ([0-9a-f]{40,64}) .*\t(?:commit\b|cherry-pick: (?!fast-forward)|revert:|am:|rebase (?:-i )?\((?:pick|reword|edit|squash|fixup|continue)\)|(?:merge|pull)\b.*: Merge made )/u;

/** Returns the names of the branches at which HEAD was after the mark. */
export function branchesSince(gitDir: string, mark: HeadLogMark): ReadonlySet<string> {
  const names = linesSince(gitDir, mark).flatMap((line) => MOVED.exec(line)?.slice(1) ?? []);
  return new Set(names);
}

const MOVED = /\tcheckout: moving from (\S+) to (\S+)$/u;

function linesSince(gitDir: string, { size, tail }: HeadLogMark): readonly string[] {
  const text = readReferenceLog(gitDir, 'HEAD');
  const isSame = text.slice(0, size).endsWith(tail);
  // Git expires old entries from the start of the log.
  const moved = isSame ? -1 : text.lastIndexOf(tail);
  const start = isSame ? size : moved === -1 ? 0 : moved + tail.length;
  return text.slice(start).split('\n');
}

/**
 * Returns the log of a reference. Empty without one. As Latin-1, so that a position in the text
 * is one in the file.
 */
export function readReferenceLog(gitDir: string, reference: string): string {
  const path = join(gitDir, 'logs', reference);
  return readRegularFileSync(path, { maxBytes: MAX_LOG_BYTES })?.toString('latin1') ?? '';
}
