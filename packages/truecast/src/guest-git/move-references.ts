/** Reference updates of a hand-over: the run's branch by compare-and-swap, everything else under `refs/truecast/recovered/`. */
import { createHash } from 'node:crypto';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, type GitOptions } from '../git/command/git.ts';
import type { GroupedGit } from '../git/command/git-group.ts';
import type { GuestState } from './receive/guest-state.ts';
import type { GuestStore } from './store/guest-store.ts';

/** The outcome of moving references. */
export interface MovedReferences {
  /** The run's branch after the hand-over. */
  readonly baseSha: string;
  /** False if the branch has moved on the host. The guest's branch is then kept separately. */
  readonly isInStep: boolean;
  readonly recovered: readonly RecoveredRef[];
}

/** Returns the guest's tip of the run's branch. Undefined if the guest did not move it. */
export function ownTip(store: GuestStore, state: GuestState): string | undefined {
  const isOnBranch = state.headReference === store.branch;
  const tip = isOnBranch || store.branch === undefined ? state.headSha : state.references.get(store.branch);
  return tip === store.baseSha ? undefined : tip;
}

/** Inputs for moving the branch. */
export interface MoveOptions {
  readonly call: GitOptions;
  /** The call with `MOVE_ARGS`. */
  readonly move: GroupedGit;
  /**
   * True if the user has staged something in the checkout in the meantime. The branch is then not
   * moved.
   */
  readonly isIndexInUse: boolean;
}

/** Moves the branch from its last common state on both sides, and keeps all other work. */
export async function moveReferences(
  store: GuestStore,
  state: GuestState,
  { call, move, isIndexInUse }: MoveOptions,
): Promise<MovedReferences> {
  const tip = ownTip(store, state);
  const isMoved =
    tip === undefined ||
    (!isIndexInUse && (await moveBranch(store, tip, move))) ||
    // The branch already has the new value if it was moved before a crash.
    (await isBranchAt(store, tip, call));
  const kept = [...otherWork(store, state)];
  if (!isMoved && tip !== undefined) kept.unshift({ name: OWN_WORK, sha: tip, from: store.branch ?? 'HEAD' });
  const recovered = await keepAside(store, kept, call);
  return { baseSha: isMoved && tip !== undefined ? tip : store.baseSha, isInStep: isMoved, recovered };
}

/** Arguments that move the references on stdin. */
export const MOVE_ARGS: readonly string[] = ['update-ref', '-m', 'truecast: run', '--stdin'];

/** Returns false if the branch is not at its base on the host. */
async function moveBranch({ branch, baseSha }: GuestStore, tip: string, move: GroupedGit): Promise<boolean> {
  const target = branch === undefined ? 'option no-deref\nupdate HEAD' : `update ${branch}`;
  return (await move.run(`${target} ${tip} ${baseSha}\n`)).exitCode === 0;
}

async function isBranchAt(
  { branch }: Pick<GuestStore, 'branch'>,
  tip: string,
  call: GitOptions,
): Promise<boolean> {
  const now = await git(['rev-parse', '--quiet', '--verify', branch ?? 'HEAD'], call);
  return now.stdout.trim() === tip;
}

interface Kept {
  /** Name below the run's folder of recovered references. */
  readonly name: string;
  readonly sha: string;
  readonly from: string;
}

function* otherWork(store: GuestStore, state: GuestState): Generator<Kept> {
  for (const [from, sha] of state.references) {
    // Remote-tracking branches are skipped, because only a fetch updates them.
    if (from === store.branch || from === 'refs/stash' || from.startsWith('refs/remotes/')) continue;
    const name = from.slice('refs/'.length);
    yield { name: name.includes('/') ? name : hashed(name), sha, from };
  }
  const last = state.stash.length - 1;
  // Named by its id, because the numbers of stash entries shift with each new entry.
  for (const [index, sha] of state.stash.entries())
    yield { name: `stash/${sha.slice(0, 12)}`, sha, from: `stash@{${last - index}}` };
  const { headSha, headReference } = state;
  const isElsewhere = headReference !== store.branch && headSha !== undefined && headSha !== store.baseSha;
  if (isElsewhere && store.branch !== undefined && ![...state.references.values()].includes(headSha))
    yield { name: 'detached-head', sha: headSha, from: 'HEAD' };
}

async function keepAside(
  store: GuestStore,
  kept: readonly Kept[],
  call: GitOptions,
): Promise<RecoveredRef[]> {
  const root = recoveredFolder(store);
  const placed = (nameOf: (one: Kept) => string): RecoveredRef[] =>
    kept.map((one) => ({ ref: `${root}${nameOf(one)}`, sha: one.sha, from: one.from }));
  const named = placed(({ name }) => (LITERAL.test(name) ? name : hashed(name)));
  if (named.length === 0 || (await create(named, call))) return named;
  // Conflicting names, such as `a` and `a/b`, come only from a hostile guest.
  const renamed = placed(({ name }) => (name === OWN_WORK ? name : hashed(name)));
  if (await create(renamed, call)) return renamed;
  const single = await Promise.all(
    renamed.map(async (one) => ((await create([one], call)) ? one : undefined)),
  );
  return single.filter((one) => one !== undefined);
}

function recoveredFolder({ id }: Pick<GuestStore, 'id'>): string {
  return `refs/truecast/recovered/${id}/`;
}

/** Returns true for the tip of the run's branch. */
export function isOwnWork(store: Pick<GuestStore, 'id'>, { ref }: RecoveredRef): boolean {
  return ref === `${recoveredFolder(store)}${OWN_WORK}`;
}

/** Name of the run's tip. No name of a guest's reference is the same. */
const OWN_WORK = 'head';

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

/** Describes recovered work for warnings. */
export function describeRecovered(refs: readonly RecoveredRef[]): readonly string[] {
  const shown = refs.slice(0, MAX_WARNINGS).map(describeOne);
  const rest = refs.slice(MAX_WARNINGS);
  if (rest.length === 0) return shown;
  return [
    ...shown,
    `${rest.length} more references of the agent are kept. List them with \`git for-each-ref refs/truecast/recovered\`.`,
  ];
}

function describeOne({ from, ref }: RecoveredRef): string {
  return `The agent's \`${cut(from)}\` is not the run's branch; it is kept as \`${ref}\`. Show it with \`git log ${ref}\`.`;
}
