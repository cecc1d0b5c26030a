/** Stash entries: those that were added in one checkout. All checkouts of a repository share the stash. */
import { gitOutput, type GitOptions } from '../command/git.ts';
import { readReferenceLog } from './head-log.ts';
import type { KeptWork } from './keep-aside.ts';

export interface StashEntry {
  readonly sha: string;
  /** Its current name, such as `stash@{0}`. */
  readonly name: string;
  /** Branch on which it was made, or `(no branch)`. Undefined if its message does not name it. */
  readonly branch: string | undefined;
}

/** Reads the stash from its log. Starts no git. */
export function readStash(commonDir: string): readonly StashEntry[] {
  const lines = readReferenceLog(commonDir, 'refs/stash')
    .split('\n')
    .map((line) => ENTRY.exec(line))
    .filter((match) => match !== null);
  return lines.map(([, sha = '', message = ''], index) => ({
    sha,
    name: `stash@{${lines.length - 1 - index}}`,
    branch: /^(?:WIP on|On) ([^:]+): /u.exec(message)?.[1],
  }));
}

const ENTRY = /^[0-9a-f]+ ([0-9a-f]{40,64}) [^\t]*\t(.*)$/u;

/** Checkout whose entries are searched. */
export interface StashSearch {
  /** Entries that were added since the start. */
  readonly entries: readonly StashEntry[];
  /** Branches on which the checkout was. */
  readonly branches: ReadonlySet<string>;
  /** Ids at which its HEAD was. */
  readonly heads: ReadonlySet<string>;
}

/** Returns the entries that were made in the checkout. The user and other runs can add some too. */
export async function findStashed(
  { entries, branches, heads }: StashSearch,
  call: GitOptions,
): Promise<readonly KeptWork[]> {
  const isNamed = ({ branch }: StashEntry): boolean => branch !== undefined && branch !== '(no branch)';
  const others = entries.filter((entry) => !isNamed(entry));
  const parents = others.length === 0 ? new Map<string, string>() : await readParents(others, call);
  return entries
    .filter((entry) =>
      isNamed(entry) ? branches.has(entry.branch ?? '') : heads.has(parents.get(entry.sha) ?? ''),
    )
    .map(({ sha, name }) => ({ name: stashName(sha), sha, from: name }));
}

/** Returns the name of a kept entry. By its id, because the numbers shift with each new entry. */
export function stashName(sha: string): string {
  return `stash/${sha.slice(0, 12)}`;
}

/** Returns the commit on which each entry was made. */
async function readParents(
  entries: readonly StashEntry[],
  call: GitOptions,
): Promise<ReadonlyMap<string, string>> {
  const input = entries.map(({ sha }) => `${sha}\n`).join('');
  const args = ['rev-list', '--no-walk', '--parents', '--ignore-missing', '--stdin'];
  const listed = await gitOutput(args, { ...call, input });
  return new Map(
    listed
      .split('\n')
      .map((line) => line.split(' '))
      .map(([sha = '', parent = '']) => [sha, parent]),
  );
}
