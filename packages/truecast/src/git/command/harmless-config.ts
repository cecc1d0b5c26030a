/**
 * Allowlist of git configuration entries that a guest can write: those that cannot name a program,
 * a path or another host.
 */
import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { git, type GitCallOptions } from './git.ts';

/** One entry of a configuration file, as `key=value`. */
type Entry = string;

/**
 * Entries on this list never make git run, read or connect to anything new. All others are assumed
 * to do so.
 */
const HARMLESS: readonly RegExp[] = [
  /^branch\..+\.(remote|merge|rebase|description|pushremote)=/su,
  /^remote\..+\.(fetch|prune|tagopt)=/su,
  // Excludes `ext::` and addresses of other helpers, which are command lines.
  /^(remote\..+\.(url|pushurl)|submodule\..+\.url)=((https?|ssh|git|file):\/\/|[\w.]+@[\w.-]+:|\.{0,2}\/)(?!.*::)/su,
  /^submodule\..+\.active=/su,
  /^user\.(name|email)=/su,
  /^core\.(bare|eol|autocrlf|safecrlf|filemode|ignorecase|logallrefupdates|precomposeunicode|repositoryformatversion|symlinks|quotepath|abbrev)=/su,
  /^lfs\.repositoryformatversion=/su,
];

const HARMLESS_IN_WORKTREE = [
  ...HARMLESS,
  /^(core\.sparsecheckout|core\.sparsecheckoutcone|index\.sparse)=/su,
];
const HARMLESS_IN_SUBMODULE = [...HARMLESS_IN_WORKTREE, /^core\.worktree=/su];

/** Kind of a configuration file. The harmless entries depend on it. */
export type ConfigPlace = 'repository' | 'worktree' | 'submodule';

/** Returns true if every entry of a configuration file is harmless. A missing file is harmless. */
export async function isHarmlessConfig(
  path: string,
  place: ConfigPlace,
  options: GitCallOptions,
): Promise<boolean> {
  const entries = await readEntries(path, options);
  return entries !== undefined && entries.every((entry) => isHarmless(entry, place));
}

/**
 * Returns true if all differences between two configurations are harmless. Entries can be added. Of
 * the existing ones, only those of a branch can be removed.
 */
export async function isHarmlessChange(
  beforePath: string,
  afterPath: string,
  options: GitCallOptions,
): Promise<boolean> {
  const [before, after] = await Promise.all([
    readEntries(beforePath, options),
    readEntries(afterPath, options),
  ]);
  if (before === undefined || after === undefined) return false;
  const keysBefore = new Set(before.map(keyOf));
  const added = without(after, before);
  const removed = without(before, after);
  return (
    removed.every((entry) => entry.startsWith('branch.')) &&
    added.every(
      (entry) =>
        isHarmless(entry, 'repository') && (entry.startsWith('branch.') || !keysBefore.has(keyOf(entry))),
    )
  );
}

function isHarmless(entry: Entry, place: ConfigPlace): boolean {
  const list = { repository: HARMLESS, worktree: HARMLESS_IN_WORKTREE, submodule: HARMLESS_IN_SUBMODULE }[
    place
  ];
  return list.some((pattern) => pattern.test(entry));
}

async function readEntries(path: string, options: GitCallOptions): Promise<Entry[] | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isFile()) return undefined;
  // Runs outside of any repository, because the inspected one can be broken.
  const result = await git(['config', '--file', path, '--no-includes', '-z', '--list'], {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    cwd: tmpdir(),
  });
  if (result.exitCode !== 0) return undefined;
  return result.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => (entry.includes('\n') ? entry.replace('\n', '=') : `${entry}=`));
}

function keyOf(entry: Entry): string {
  return entry.slice(0, entry.indexOf('='));
}

function without(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const left = [...others];
  return entries.filter((entry) => {
    const at = left.indexOf(entry);
    if (at === -1) return true;
    left.splice(at, 1);
    return false;
  });
}
