/** Facts of given commits: parents, subject, time and counts of lines. */
import { gitOutput, type GitOptions } from '../command/git.ts';

export interface CommitFacts {
  readonly id: string;
  readonly parents: readonly string[];
  /** First paragraph of the message, at most 200 characters. */
  readonly subject: string;
  /** Milliseconds since 1970, as the committer's clock said. */
  readonly atMs: number;
  /** Lines of the commit against its first parent, without large files and those that are binary by attribute. */
  readonly added: number;
  readonly removed: number;
}

/** Range of a run's commits: its files are those of `tip` against `base`. */
export interface CommitRange {
  readonly base: string;
  readonly tip: string;
}

/** Git counts no lines of a larger file, so that its content is not loaded. */
const LARGE_FILES = 'core.bigFileThreshold=512k';

const MAX_SUBJECT_CHARS = 200;
const COMMIT_ID = /^(?:[\da-f]{40}|[\da-f]{64})$/u;
/** Git knows the tree without files, although no repository stores it. */
const EMPTY_TREE = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/** No part of it depends on a user's configuration. */
const LOG = [
  'log',
  '--no-walk=unsorted',
  '--ignore-missing',
  '--no-color',
  '--no-notes',
  '--no-decorate',
  '--no-show-signature',
  '--no-mailmap',
  '--format=%x00%H%x00%P%x00%ct%x00%s%x00',
  '--diff-merges=first-parent',
  '--shortstat',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
];

/**
 * Reads the commits that the repository has, in the given order. An id that is not a full one is
 * left out.
 *
 * @throws RepositoryError `git-failed`, `timeout`; the signal's reason
 */
export async function readCommitFacts(
  ids: readonly string[],
  options: GitOptions,
): Promise<readonly CommitFacts[]> {
  const full = ids.filter((id) => COMMIT_ID.test(id));
  if (full.length === 0) return [];
  const { config = [] } = options;
  const call = { ...options, config: [...config, 'core.useReplaceRefs=false', LARGE_FILES] };
  const fields = (await gitOutput([...LOG, ...full, '--'], call)).split('\0').slice(1);
  const facts: CommitFacts[] = [];
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [id = '', parents = '', seconds = '', subject = '', stat = ''] = fields.slice(at, at + 5);
    facts.push({
      id,
      parents: parents === '' ? [] : parents.split(' '),
      subject: subject.slice(0, MAX_SUBJECT_CHARS).toWellFormed(),
      atMs: Number(seconds) * 1_000,
      added: Number(/(\d+) insertion/u.exec(stat)?.[1] ?? 0),
      removed: Number(/(\d+) deletion/u.exec(stat)?.[1] ?? 0),
    });
  }
  return facts;
}

/** Returns the range of one commit, against its first parent. */
export function rangeOfCommit({ id, parents }: Pick<CommitFacts, 'id' | 'parents'>): CommitRange {
  return { base: parents[0] ?? EMPTY_TREE[id.length === 64 ? 64 : 40], tip: id };
}

/** Returns the range of all commits, the oldest first. Undefined without any. */
export function rangeOfCommits(
  commits: readonly Pick<CommitFacts, 'id' | 'parents'>[],
): CommitRange | undefined {
  const tip = commits.at(-1);
  if (tip === undefined) return undefined;
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  // Another branch that was merged into this one is behind its second parents.
  let first = tip;
  for (
    let next = byId.get(tip.parents[0] ?? '');
    next !== undefined;
    next = byId.get(next.parents[0] ?? '')
  ) {
    first = next;
  }
  return { base: rangeOfCommit(first).base, tip: tip.id };
}
