/**
 * Hand-over of a guest's work to the host: one stream in, checked in quarantine, then references
 * and index.
 *
 * receive -> connected -> reviewed -> objects moved -> branch moved -> index set -> record updated
 *
 * Every step is idempotent: after a kill the next run repeats it.
 */
import { existsSync } from 'node:fs';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { TipRead } from '../git/command/tip-read.ts';
import type { HandedOverTip, HandOverStep } from '../ports/own-git.ts';
import type { GitOptions } from '../git/command/git.ts';
import { describeRecovered, UNFINISHED } from '../git/recovered/keep-aside.ts';
import { readNeutralFilters } from '../git/repository/trusted-config.ts';
import { admit } from './admit-objects.ts';
import { applyIndex, planIndex, type IndexPlan } from './apply-index.ts';
import { handOverCommands, type HandOverCommands } from './hand-over-commands.ts';
import { incomingCall } from './receive/incoming-call.ts';
import { MAX_INFLATED_BYTES } from './receive/inflated-size.ts';
import { finalScript, type FinalScriptOptions } from './store/final-script.ts';
import type { GuestState } from './receive/guest-state.ts';
import { readKnown, writeKnown, writeRecord, type GuestStore } from './store/guest-store.ts';
import type { OpenGuestStream } from './receive/read-stream.ts';
import { isIndexUnchanged, saveIndex } from './store/index-copy.ts';
import { isOwnWork, moveReferences, ownTip, type MoveOptions } from './move-references.ts';
import type { LfsLimits } from './receive/lfs-sink.ts';
import { receiveLfs } from './receive/receive-lfs.ts';
import { receiveObjects, type ReceiveLimits } from './receive/receive-objects.ts';

export interface HandOver {
  /** Work outside of the run's branch, with its new place. */
  readonly recovered: readonly RecoveredRef[];
  readonly warnings: readonly string[];
  /** Commits that were created inside since the last hand-over. */
  readonly made: readonly string[];
  /** The branch's new tip, with what was read from its commits. Absent if the branch has not moved. */
  readonly tip?: HandedOverTip | undefined;
  readonly store: GuestStore;
}

export interface HandOverLimits extends ReceiveLimits, LfsLimits {
  readonly maxInflatedBytes: number;
  /** Overrides that turn off every filter driver. If undefined, they are read now. */
  readonly neutralFilters?: readonly string[] | undefined;
  /** Commands of the first attempt that have started. If undefined, they are started now. */
  readonly commands?: HandOverCommands | undefined;
  /** Reads of a new tip, while its objects are checked. */
  readonly tipReads?: readonly TipRead[] | undefined;
  /** Called after each step. */
  readonly onStep?: ((step: HandOverStep) => void) | undefined;
}

/** Generous for code, and small enough that a guest cannot fill a disk. */
export const HAND_OVER_LIMITS: HandOverLimits = {
  maxTextBytes: 4 * 1024 * 1024,
  maxPackBytes: 2 * 1024 * 1024 * 1024,
  maxInflatedBytes: MAX_INFLATED_BYTES,
  maxLfsBytes: 8 * 1024 * 1024 * 1024,
  timeoutMs: 120_000,
};

/**
 * Imports the guest's work since the last hand-over. Call it while no process of the agent runs.
 *
 * A rejected stream is retried once with only the run's branch, because another part of the store
 * can be broken.
 *
 * @throws SandboxError `sync`: no reference moved, the files are in the worktree, and the store is
 *   kept
 */
export async function handOver(
  store: GuestStore,
  openStream: OpenGuestStream,
  limits: HandOverLimits = HAND_OVER_LIMITS,
): Promise<HandOver> {
  try {
    return await attempt(store, openStream, limits, 'all');
  } catch (error) {
    if (!SandboxError.isInstance(error) || error.code !== 'sync') throw error;
    try {
      const second = await attempt(store, openStream, { ...limits, commands: undefined }, 'branch');
      const warning = `${error.message} Only the run's branch was imported. The rest is kept in \`${store.folder}\`.`;
      return { ...second, warnings: [warning, ...second.warnings] };
    } catch (again) {
      if (!SandboxError.isInstance(again) || again.code !== 'sync') throw again;
      throw filesOnly(store, again);
    }
  }
}

/** Creates the commands of the next hand-over, which the caller can start while the agent works. */
export function prepareCommands(
  store: GuestStore,
  limits: Pick<HandOverLimits, 'maxPackBytes' | 'signal' | 'timeoutMs' | 'tipReads'> = HAND_OVER_LIMITS,
): HandOverCommands {
  return handOverCommands(store, { ...limits, call: callIn(store) });
}

async function attempt(
  store: GuestStore,
  openStream: OpenGuestStream,
  limits: HandOverLimits,
  extent: FinalScriptOptions['extent'],
): Promise<HandOver> {
  await using commands = limits.commands ?? prepareCommands(store, limits);
  const stream = await openStream(finalScript({ ...store, extent, known: readKnown(store) }));
  await commands.start();
  const state = await receiveObjects(store, { stream, unpacking: commands.unpacking }, limits);
  limits.onStep?.('received');
  const isPartly = extent === 'branch';
  if (state.isUnchanged) return finish(store, state, { isPartly });
  const planning = plan(store, state, { ...limits, commands });
  const reading = readTip(store, state, commands);
  const alongside = Promise.allSettled([planning, reading]);
  await admit(store, state, { ...limits, connectivity: commands.connectivity, alongside });
  // Called before the branch moves, so that a pointer on it never lacks its content.
  const warnings = await takeLfs(store, state, openStream, limits);
  limits.onStep?.('admitted');
  const applied = await apply(store, state, {
    isPartly: isPartly || warnings.length > 0,
    onStep: limits.onStep,
    move: commands.move,
    plan: await planning,
    tip: await reading,
  });
  return { ...applied, warnings: [...warnings, ...applied.warnings] };
}

/**
 * Rejected content is only a warning, because commits with its pointers are complete without it.
 */
async function takeLfs(
  store: GuestStore,
  { lfsIds }: GuestState,
  openStream: OpenGuestStream,
  limits: HandOverLimits,
): Promise<readonly string[]> {
  try {
    await receiveLfs(store, lfsIds, openStream, limits);
    return [];
  } catch (error) {
    if (!SandboxError.isInstance(error) || error.code !== 'sync') throw error;
    return [
      `Some LFS objects of the guest were not imported. ${error.message} They are kept in \`${store.folder}\`.`,
    ];
  }
}

interface ApplyOptions extends Pick<HandOverLimits, 'onStep'>, Pick<MoveOptions, 'move'> {
  readonly isPartly: boolean;
  /** Undefined if the index no longer exists. */
  readonly plan: Planned | undefined;
  readonly tip: HandedOverTip | undefined;
}

async function apply(
  store: GuestStore,
  state: GuestState,
  { isPartly, onStep, move, plan: planned, tip }: ApplyOptions,
): Promise<HandOver> {
  const call = callIn(store);
  const isIndexInUse = store.isOwnCheckout && !(await isIndexUnchanged(store, call));
  const moved = await moveReferences(store, state, { call, move, isIndexInUse });
  onStep?.('moved');
  const isSet = moved.isInStep && !isIndexInUse && planned !== undefined;
  const leftOut = isSet ? await applyIndex(planned.index, { ...call, config: planned.config }) : [];
  onStep?.('indexed');
  if (store.isOwnCheckout && !isIndexInUse) saveIndex(store);
  const warnings = [
    ...moved.recovered.filter((ref) => isOwnWork(store, ref)).map((ref) => notInStep(store, ref)),
    ...describeRecovered(moved.recovered.filter((ref) => !isOwnWork(store, ref))),
    ...describeLeftOut(leftOut),
    ...(state.refusedCount === 0
      ? []
      : [`${state.refusedCount} invalid references of the guest were ignored.`]),
  ];
  const { recovered, baseSha } = moved;
  const reported = [...new Set([...store.reported, ...recovered.map(({ sha }) => sha)])];
  const next = finish({ ...store, baseSha, reported }, state, { isPartly });
  onStep?.('recorded');
  const handed = moved.isInStep ? { tip } : {};
  return { ...next, ...handed, recovered, warnings: [...warnings, ...next.warnings] };
}

/**
 * Without an index tree (for example with conflicts), or with another branch checked out inside,
 * the index is set to the branch's tree.
 */
async function plan(
  store: GuestStore,
  state: GuestState,
  { neutralFilters, commands }: HandOverLimits,
): Promise<Planned | undefined> {
  if (!existsSync(store.gitDir)) return undefined;
  const isOnBranch = state.headReference === store.branch;
  const tree = isOnBranch ? state.indexTree : undefined;
  const { objects } = incomingCall(store);
  const call = callIn(store);
  const [index, config] = await Promise.all([
    planIndex(tree ?? ownTip(store, state) ?? store.baseSha, { ...call, objects }, commands?.comparison),
    neutralFilters ?? readNeutralFilters(call),
  ]);
  // `update-index` runs clean filters on files that are as new as the index, and a filter can be a
  // script of the guest.
  return { index, config };
}

/** Failed reads are repeated after the hand-over. */
async function readTip(
  store: GuestStore,
  state: GuestState,
  commands: HandOverCommands,
): Promise<HandedOverTip | undefined> {
  const sha = ownTip(store, state);
  if (sha === undefined) return undefined;
  const reads = await commands.readTip(sha).catch(() => []);
  return { sha, reads: reads.every(({ exitCode }) => exitCode === 0) ? reads : [] };
}

/** Update of the index, planned while the objects are still in quarantine. */
interface Planned {
  readonly index: IndexPlan;
  readonly config: readonly string[];
}

function finish(
  store: GuestStore,
  state: GuestState,
  { isPartly }: { readonly isPartly: boolean },
): HandOver {
  const known = new Map([...readKnown(store), ...state.references]);
  if (store.branch !== undefined) known.set(store.branch, store.baseSha);
  // A guest that has shortened its log has a new one.
  const since = state.made.length < store.madeCount ? 0 : store.madeCount;
  const next = {
    ...store,
    isUnfinished: state.isUnfinished,
    isKeptForUser: store.isKeptForUser || isPartly,
    // The log was not read with the branch alone.
    ...(!isPartly && { madeCount: state.made.length }),
  };
  writeKnown(next, new Map([...known].toSorted(([one], [other]) => (one < other ? -1 : 1))));
  writeRecord(next);
  const warning = `${UNFINISHED} It is not visible on the host.`;
  const made = state.made.slice(since);
  return { store: next, recovered: [], made, warnings: state.isUnfinished ? [warning] : [] };
}

function callIn({ worktreePath, gitDir, commonDir }: GuestStore): GitOptions {
  const { timeoutMs } = HAND_OVER_LIMITS;
  // A worktree that was removed since has no git directory, but its branch exists.
  if (!existsSync(gitDir)) {
    return { timeoutMs, cwd: commonDir, paths: { gitDir: commonDir, commonDir, workTree: commonDir } };
  }
  return { timeoutMs, cwd: worktreePath, paths: { gitDir, commonDir, workTree: worktreePath } };
}

const MAX_SHOWN_PATHS = 5;

function describeLeftOut(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const shown = paths.slice(0, MAX_SHOWN_PATHS).map((path) => `\`${cut(path)}\``);
  const rest = paths.length - shown.length;
  return [
    `Repositories inside the worktree were not staged on the host: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`,
  ];
}

function notInStep({ branch, worktreePath }: GuestStore, { ref }: RecoveredRef): string {
  return `\`${branch ?? 'HEAD'}\` or its index changed on the host while the agent worked, so it was not changed. The agent's commits are kept as \`${ref}\`. To merge them, run \`git add -A && git stash && git merge ${ref}; git stash pop\` in \`${worktreePath}\`.`;
}

function filesOnly({ folder, worktreePath }: GuestStore, cause: SandboxError): SandboxError {
  const { stderrTail } = cause;
  return new SandboxError(
    `${cause.message} No commit was imported. The files are in \`${worktreePath}\`, and the sandbox's git store is kept in \`${folder}\`: do not run git in it, and delete it when you no longer need it.`,
    { code: 'sync', cause, ...(stderrTail !== undefined && { stderrTail }) },
  );
}
