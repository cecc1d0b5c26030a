/**
 * Admission of received objects: checks that they are complete, reviews them, and renames them into
 * the repository's object store.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GitCallOptions, GitOptions } from '../git/command/git.ts';
import type { GroupedGit } from '../git/command/git-group.ts';
import { removeTree } from '../process/temporary-folder.ts';
import type { GuestState } from './receive/guest-state.ts';
import { incomingFolder, type GuestStore } from './store/guest-store.ts';
import { incomingCall } from './receive/incoming-call.ts';
import { listLoose, inflatedBytes } from './receive/inflated-size.ts';
import { moveFile } from './receive/receive-lfs.ts';
import { ownTip } from './move-references.ts';
import { refusedStream } from './receive/read-stream.ts';

/** Limits of an admission. */
export interface AdmitOptions extends Pick<GitCallOptions, 'signal'> {
  readonly maxInflatedBytes: number;
  /** The call with `connectivityArgs`. */
  readonly connectivity: GroupedGit;
  /** Other work on the quarantine. It must end before anything leaves the quarantine. */
  readonly alongside: Promise<unknown>;
}

/**
 * Checks and reviews the quarantine, then moves it into the object store. No reference moves here.
 *
 * @throws SandboxError `sync` if an object is missing, or if the review rejects the work
 */
export async function admit(
  store: GuestStore,
  state: GuestState,
  { maxInflatedBytes, connectivity, signal, alongside }: AdmitOptions,
): Promise<void> {
  const tips = tipsOf(store, state);
  const call = incomingCall(store, { signal });
  await Promise.all([assertConnected(tips, connectivity), alongside.catch(() => undefined)]);
  const tipSha = ownTip(store, state);
  await reviewIncoming({
    commonDir: store.commonDir,
    worktreePath: store.worktreePath,
    call,
    objectFolder: incomingFolder(store),
    baseSha: store.baseSha,
    tipSha,
    indexTree: state.indexTree,
    otherTips: tips.filter((id) => id !== tipSha && id !== state.indexTree),
    maxInflatedBytes,
  });
  await migrateObjects(store);
}

/** Returns every id that the host will refer to. */
function tipsOf(
  store: GuestStore,
  { headSha, indexTree, references, stash, left }: GuestState,
): readonly string[] {
  const all = [headSha, indexTree, ...references.values(), ...stash, ...left];
  const ids = all.filter((id) => id !== undefined);
  return [...new Set(ids)].filter((id) => id !== store.baseSha);
}

/** Returns the arguments that check whether all objects reachable from the tips on stdin exist. */
export function connectivityArgs(store: GuestStore): readonly string[] {
  const partial = store.isPartial ? ['--exclude-promisor-objects'] : [];
  return ['rev-list', '--objects', '--quiet', '--stdin', ...partial, '--not', '--all'];
}

/**
 * Checks that all objects reachable from the tips exist. `--strict` alone does not notice a missing
 * tip.
 *
 * @throws SandboxError `sync` if one is missing
 */
async function assertConnected(tips: readonly string[], connectivity: GroupedGit): Promise<void> {
  if (tips.length === 0) return;
  const { exitCode, stderr } = await connectivity.run(`${tips.join('\n')}\n`);
  if (exitCode !== 0) {
    throw refusedStream('one of its objects is missing', { stderrTail: stderr.slice(-2_000) });
  }
}

/** With this order a pack is never visible without its other files. */
const PACK_ORDER = ['.pack', '.rev', '.idx'];

/** Moves the quarantine into the object store. An object that the host has is never replaced. */
async function migrateObjects(store: GuestStore): Promise<void> {
  const incoming = incomingFolder(store);
  const target = join(store.commonDir, 'objects');
  for (const { id, path } of await listLoose(incoming)) {
    const folder = join(target, id.slice(0, 2));
    const place = join(folder, id.slice(2));
    if (existsSync(place)) continue;
    await mkdir(folder, { recursive: true });
    await moveFile(path, place);
  }
  const extension = (name: string): number => PACK_ORDER.findIndex((one) => name.endsWith(one));
  const packs = (await readdir(join(incoming, 'pack'))).filter((name) => extension(name) >= 0);
  for (const name of packs.toSorted((one, other) => extension(one) - extension(other))) {
    await moveFile(join(incoming, 'pack', name), join(target, 'pack', name));
  }
  await removeTree(incoming);
}

/** Received work of a guest, before any reference moves. */
interface Incoming {
  readonly commonDir: string;
  readonly worktreePath: string;
  /** Options of git calls with access to the received objects. */
  readonly call: GitOptions;
  readonly objectFolder: string;
  /** The run's branch before the guest. */
  readonly baseSha: string;
  /** The guest's tip of the run's branch. Undefined if the guest did not move it. */
  readonly tipSha: string | undefined;
  /** Tree of the guest's index. */
  readonly indexTree: string | undefined;
  /** All other commits that will be kept. */
  readonly otherTips: readonly string[];
  readonly maxInflatedBytes: number;
}

/**
 * Reviews received objects, and rejects all of them if one is dangerous. Every object is already
 * valid and complete.
 *
 * @throws SandboxError `sync`: no reference moves, and the guest's store is kept
 */
async function reviewIncoming(incoming: Incoming): Promise<void> {
  const { call, objectFolder, maxInflatedBytes } = incoming;
  const bytes = await inflatedBytes(call, objectFolder, maxInflatedBytes);
  if (bytes > maxInflatedBytes) {
    throw refusedStream(
      `its objects have ${bytes} bytes when inflated, more than the limit of ${maxInflatedBytes}`,
    );
  }
}
