/**
 * Lifecycle of one guest's git store: created or resumed, handed over after each turn, and removed
 * if no work is lost.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../git/command/git.ts';
import { thisProcess } from '../process/process-identity.ts';
import type { TipRead } from '../git/command/tip-read.ts';
import type { HandOverStep } from '../ports/own-git.ts';
import type { GuestBind } from '../ports/guest-bind.ts';
import { removeTree } from '../process/temporary-folder.ts';
import { guestsFolder, readStore, storeGitDir, writeRecord, type GuestStore } from './store/guest-store.ts';
import type { OpenGuestStream } from './receive/read-stream.ts';
import { HAND_OVER_LIMITS, handOver, prepareCommands, type HandOver } from './hand-over.ts';
import type { HandOverCommands } from './hand-over-commands.ts';
import { layOutStore, type LaidOutStore, type LayOutOptions } from './store/lay-out-store.ts';
import { handOverBinds, storeBinds } from './store/store-binds.ts';

export interface OpenGuestGitOptions extends LayOutOptions {
  /** Store that an earlier run left behind. */
  readonly recoveredStore?: string | undefined;
  /** Git reads of a new tip. */
  readonly tipReads?: readonly TipRead[] | undefined;
  readonly onStep?: ((step: HandOverStep) => void) | undefined;
}

export interface GuestGit {
  /** Mounts of the worktree and the store. */
  readonly binds: readonly GuestBind[];
  /** Mounts of a sandbox that only hands the store over. */
  readonly handOverBinds: readonly GuestBind[];
  /** Host path that the guest writes. */
  readonly path: string;
  readonly identity: LaidOutStore['identity'];
  /** Called before every command. The store then contains work until the next hand-over. */
  touch(): void;
  /**
   * Starts git for the next hand-over, which then takes less time. Call it when an agent has
   * started.
   */
  prepareHandOver(): void;
  /** Imports the work since the last hand-over. Without a command since, it does nothing. */
  handOver(openStream: OpenGuestStream): Promise<HandOver>;
  /** Removes the store. A store that still contains work is kept for the next run. */
  close(): Promise<void>;
}

/** Creates a store, or resumes one with an unfinished merge or rebase. */
export async function openGuestGit(options: OpenGuestGitOptions): Promise<GuestGit> {
  const { store, identity, neutralFilters } = await openStore(options);
  const { tipReads } = options;
  let current = store;
  let isTouched = options.recoveredStore !== undefined;
  let last: Promise<unknown> = Promise.resolve();
  let prepared: HandOverCommands | undefined;
  const takePrepared = (): HandOverCommands | undefined => {
    const taken = prepared;
    prepared = undefined;
    return taken;
  };
  const run = async (openStream: OpenGuestStream): Promise<HandOver> => {
    if (!isTouched) return { store: current, recovered: [], made: [], warnings: [] };
    isTouched = false;
    const commands = takePrepared();
    try {
      const limits = { ...HAND_OVER_LIMITS, neutralFilters, tipReads, onStep: options.onStep, commands };
      const done = await handOver(current, openStream, limits);
      current = done.store;
      return done;
    } catch (error) {
      isTouched = true;
      throw error;
    }
  };
  return {
    binds: storeBinds(store),
    handOverBinds: handOverBinds(store),
    path: storeGitDir(store),
    identity,
    touch() {
      isTouched = true;
    },
    prepareHandOver() {
      if (prepared !== undefined) return;
      prepared = prepareCommands(current, { ...HAND_OVER_LIMITS, tipReads });
      // The hand-over reports a failure.
      prepared.start().catch(() => undefined);
    },
    handOver(openStream) {
      const next = last.then(() => run(openStream));
      // Serialized, because several runs can share a sandbox.
      last = next.catch(() => undefined);
      return next;
    },
    async close() {
      await last;
      await takePrepared()?.[Symbol.asyncDispose]();
      if (!isTouched && !current.isUnfinished && !current.isKeptForUser) return removeTree(current.folder);
      writeRecord({ ...current, isAbandoned: isTouched });
    },
  };
}

async function openStore(options: OpenGuestGitOptions): Promise<LaidOutStore> {
  const { recoveredStore, commonDir } = options;
  const left = recoveredStore === undefined ? await findUnfinished(options) : readStore(recoveredStore);
  if (left === undefined || !existsSync(commonDir)) return layOutStore(options);
  const { worktreePath } = options;
  const store = { ...left, worktreePath, owner: thisProcess(), isAbandoned: false };
  writeRecord(store);
  return { store, neutralFilters: undefined, identity: { name: undefined, email: undefined } };
}

/**
 * Finds the store in which the last run on this worktree left an unfinished merge, if the branch
 * has not moved since.
 */
async function findUnfinished(options: OpenGuestGitOptions): Promise<GuestStore | undefined> {
  const found = listStores(options.commonDir).find(
    (store) => store.isUnfinished && !store.isAbandoned && store.gitDir === options.gitDir,
  );
  if (found === undefined) return undefined;
  const call = {
    ...options,
    cwd: options.worktreePath,
    paths: { ...options, workTree: options.worktreePath },
  };
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], call);
  return head.stdout.trim() === found.baseSha ? found : undefined;
}

/** Lists the complete stores of a repository. */
export function listStores(commonDir: string): readonly GuestStore[] {
  const folder = guestsFolder(commonDir);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => readStore(join(folder, name)))
    .filter((store) => store !== undefined);
}

/** Removes the stores of a git directory with all work in them. Their sandboxes must be closed. */
export async function removeGuestStores(commonDir: string, gitDir: string): Promise<void> {
  const own = listStores(commonDir).filter((store) => store.gitDir === gitDir);
  await Promise.all(own.map(({ folder }) => removeTree(folder)));
}

/**
 * Age after which an incomplete store counts as abandoned. Writing a store takes milliseconds, even
 * on a busy machine.
 */
const LAYOUT_MS = 600_000;

/**
 * Removes incomplete stores. No guest has worked in them. Stores whose creation has just started
 * are kept.
 */
export async function removeIncompleteStores(commonDir: string): Promise<void> {
  await Promise.all(listIncompleteStores(commonDir).map((folder) => removeTree(folder)));
}

export function listIncompleteStores(commonDir: string): readonly string[] {
  const root = guestsFolder(commonDir);
  const folders = existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : [];
  const isOld = (folder: string): boolean =>
    (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - LAYOUT_MS;
  return folders.filter((folder) => !existsSync(join(folder, 'run.json')) && isOld(folder));
}
