/** Reference updates of a hand-over: the run's branch by compare-and-swap, everything else under `refs/truecast/recovered/`. */
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, type GitOptions } from '../git/command/git.ts';
import type { GroupedGit } from '../git/command/git-group.ts';
import {
  DETACHED_HEAD,
  keepAside,
  nameOfReference,
  recoveredFolder,
  type KeptWork,
  findLeft,
} from '../git/recovered/keep-aside.ts';
import { stashName } from '../git/recovered/stash-entries.ts';
import type { GuestState } from './receive/guest-state.ts';
import { readKnown, type GuestStore } from './store/guest-store.ts';

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
  const reported = new Set(store.reported);
  const kept = [...otherWork(store, state)].filter(
    ({ from, sha }) => !isNameless(from) || !reported.has(sha),
  );
  const head = await detachedWork(store, state, call);
  if (head !== undefined && !reported.has(head.sha)) kept.push(head);
  kept.push(...(await leftWork(store, state, { kept, tip }, call)));
  if (!isMoved && tip !== undefined) kept.unshift({ name: OWN_WORK, sha: tip, from: store.branch ?? 'HEAD' });
  const recovered = await keepAside({ id: store.id, kept, reserved: OWN_WORK }, call);
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

function* otherWork(store: GuestStore, state: GuestState): Generator<KeptWork> {
  for (const [from, sha] of state.references) {
    // Remote-tracking branches are skipped, because only a fetch updates them.
    if (from === store.branch || from === 'refs/stash' || from.startsWith('refs/remotes/')) continue;
    yield { name: nameOfReference(from), sha, from };
  }
  const last = state.stash.length - 1;
  for (const [index, sha] of state.stash.entries()) {
    yield { name: stashName(sha), sha, from: `stash@{${last - index}}` };
  }
}

/** Later hand-overs list an entry of the stash again. A reference is listed only after it moved. */
function isNameless(from: string): boolean {
  return from.startsWith('stash@');
}

/** Commits that existed before, which the guest only looks at, are not its work. */
async function detachedWork(
  store: GuestStore,
  { headSha, headReference, references }: GuestState,
  call: GitOptions,
): Promise<KeptWork | undefined> {
  if (headSha === undefined || store.branch === undefined || headReference === store.branch) return undefined;
  if ([store.baseSha, ...references.values()].includes(headSha)) return undefined;
  const known = [store.baseSha, ...readKnown(store).values()].map((sha) => `^${sha}\n`);
  const args = ['rev-list', '--max-count=1', '--ignore-missing', '--stdin'];
  const found = await git(args, { ...call, input: `${headSha}\n${known.join('')}` });
  const isOld = found.exitCode === 0 && found.stdout === '';
  return isOld ? undefined : { name: DETACHED_HEAD, sha: headSha, from: 'HEAD' };
}

/** Left commits to which nothing else of the guest leads. */
async function leftWork(
  store: GuestStore,
  { left }: GuestState,
  { kept, tip = store.baseSha }: { readonly kept: readonly KeptWork[]; readonly tip: string | undefined },
  call: GitOptions,
): Promise<readonly KeptWork[]> {
  const before = [store.baseSha, ...readKnown(store).values(), ...store.reported];
  const reached = [...before, tip, ...kept.map(({ sha }) => sha)];
  return findLeft(left, reached, call);
}

/** Returns true for the tip of the run's branch. */
export function isOwnWork(store: Pick<GuestStore, 'id'>, { ref }: RecoveredRef): boolean {
  return ref === `${recoveredFolder(store.id)}${OWN_WORK}`;
}

/** Name of the run's tip. No name of a guest's reference is the same. */
const OWN_WORK = 'head';
