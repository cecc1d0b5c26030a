/**
 * Recovered references: the agent's work outside of the run's branch, kept under
 * `refs/truecast/recovered/`, with its warnings. The same for every sandbox.
 */
import { createHash } from 'node:crypto';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, type GitOptions, gitOutput } from '../command/git.ts';

export interface KeptWork {
  /** Name below the run's folder of recovered references. */
  readonly name: string;
  readonly sha: string;
  readonly from: string;
}

/** Name of the commits at a HEAD that is not on the run's branch. */
export const DETACHED_HEAD = 'detached-head';

export function recoveredFolder(id: string): string {
  return `refs/truecast/recovered/${id}/`;
}

/** Returns the name of a reference below the folder. */
export function nameOfReference(reference: string): string {
  const name = reference.slice('refs/'.length);
  return name.includes('/') ? name : hashed(name);
}

/** Creates the references. An invalid name is replaced by its hash, except `reserved`. */
export async function keepAside(
  {
    id,
    kept,
    reserved,
  }: { readonly id: string; readonly kept: readonly KeptWork[]; readonly reserved?: string },
  call: GitOptions,
): Promise<RecoveredRef[]> {
  const root = recoveredFolder(id);
  const placed = (nameOf: (one: KeptWork) => string): RecoveredRef[] =>
    kept.map((one) => ({ ref: `${root}${nameOf(one)}`, sha: one.sha, from: one.from }));
  const named = placed(({ name }) => (LITERAL.test(name) ? name : hashed(name)));
  if (named.length === 0 || (await create(named, call))) return named;
  // Conflicting names, such as `a` and `a/b`, come only from a hostile guest.
  const renamed = placed(({ name }) => (name === reserved ? name : hashed(name)));
  if (await create(renamed, call)) return renamed;
  const single = await Promise.all(
    renamed.map(async (one) => ((await create([one], call)) ? one : undefined)),
  );
  return single.filter((one) => one !== undefined);
}

/** Names that a shell takes literally: users copy them from a message into a command. */
const LITERAL = /^[\p{L}\p{N}\p{M}_./+@,-]+$/u;

/** A hash never conflicts, and stays the same in later hand-overs. */
function hashed(name: string): string {
  return `by-hash/${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

async function create(refs: readonly RecoveredRef[], call: GitOptions): Promise<boolean> {
  const input = refs.map(({ ref, sha }) => `update ${ref} ${sha}\n`).join('');
  return (await git(['update-ref', '--stdin'], { ...call, input })).exitCode === 0;
}

/** Each reference has its own warning, up to this number. */
const MAX_WARNINGS = 10;

export function describeRecovered(refs: readonly RecoveredRef[]): readonly string[] {
  const shown = refs.slice(0, MAX_WARNINGS).map(describeOne);
  const rest = refs.slice(MAX_WARNINGS);
  if (rest.length === 0) return shown;
  return [
    ...shown,
    `${rest.length} more references of the agent are kept. List them with \`git for-each-ref refs/truecast/recovered\`.`,
  ];
}

function describeOne({ from, ref, sha }: RecoveredRef): string {
  if (from.startsWith('stash@')) {
    return `The agent left \`${cut(from)}\` in the stash; it is kept as \`${ref}\`. Show it with \`git diff ${ref}^ ${ref}\`.`;
  }
  if (from === 'HEAD' && ref.includes('/left/')) {
    return `The agent left commit ${sha.slice(0, 12)} on a detached HEAD, so no branch contains it; it is kept as \`${ref}\`. Show it with \`git log ${ref}\`.`;
  }
  return `The agent's \`${cut(from)}\` is not the run's branch; it is kept as \`${ref}\`. Show it with \`git log ${ref}\`.`;
}

/** Warning about an operation that the next run on the branch can continue. */
export const UNFINISHED =
  'The agent left a merge or rebase unfinished. The next run on this branch can continue it.';

/** Files of a git directory that exist only during an unfinished operation. */
export const UNFINISHED_FILES: readonly string[] = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
];

/**
 * Returns those left commits to which neither another one nor a reached commit leads. Starts no git
 * without left commits.
 */
export async function findLeft(
  left: readonly string[],
  reached: readonly string[],
  call: GitOptions,
): Promise<readonly KeptWork[]> {
  if (left.length === 0) return [];
  const input = [...left, ...reached.map((sha) => `^${sha}`)].join('\n');
  const listed = await gitOutput(['rev-list', '--parents', '--ignore-missing', '--stdin'], {
    ...call,
    input: `${input}\n`,
  });
  const lines = listed.split('\n').map((line) => line.split(' '));
  const parents = new Set(lines.flatMap(([, ...ids]) => ids));
  const listedIds = new Set(lines.map(([id]) => id));
  return left
    .filter((sha) => listedIds.has(sha) && !parents.has(sha))
    .map((sha) => ({ name: `left/${sha.slice(0, 12)}`, sha, from: 'HEAD' }));
}
