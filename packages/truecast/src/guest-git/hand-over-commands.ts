/**
 * Git commands of a hand-over that wait for their input, so that they can start while the agent
 * works. Without input they change nothing.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GitOptions } from '../git/command/git.ts';
import type { WaitingGit } from '../git/command/waiting-git.ts';
import { connectivityCheck } from './admit-objects.ts';
import { branchMove } from './move-references.ts';
import type { FedGit } from './receive/feed-git.ts';
import { startUnpacking, type SinkLimits } from './receive/stream-sink.ts';
import { incomingFolder, type GuestStore } from './store/guest-store.ts';

/** Commands of one attempt. */
export interface HandOverCommands extends AsyncDisposable {
  readonly connectivity: WaitingGit;
  readonly move: WaitingGit;
  /** Starts all commands. */
  start(): Promise<void>;
  /** Creates the empty quarantine and starts the command that unpacks in it, if it has not started. */
  unpacking(): Promise<FedGit>;
}

/** Options of the commands. */
export interface HandOverCommandsOptions
  extends Pick<SinkLimits, 'maxPackBytes'>, Pick<GitOptions, 'signal'> {
  /** Options of git calls in the run's worktree. */
  readonly call: GitOptions;
}

/** Creates the commands. Nothing is started yet. */
export function handOverCommands(
  store: GuestStore,
  { maxPackBytes, signal, call }: HandOverCommandsOptions,
): HandOverCommands {
  const connectivity = connectivityCheck(store, { signal });
  const move = branchMove(call);
  let unpacking: Promise<FedGit> | undefined;
  const startUnpack = async (): Promise<FedGit> => {
    const incoming = incomingFolder(store);
    await rm(incoming, { recursive: true, force: true });
    await mkdir(join(incoming, 'pack'), { recursive: true });
    return startUnpacking(store, { maxPackBytes });
  };
  const unpack = (): Promise<FedGit> => {
    unpacking ??= startUnpack();
    // The hand-over handles the failure.
    unpacking.catch(() => undefined);
    return unpacking;
  };
  return {
    connectivity,
    move,
    unpacking: unpack,
    async start() {
      await unpack();
      // The start of a process blocks for some milliseconds. The pause between two starts lets this
      // process read the agent's output.
      for (const command of [connectivity, move]) {
        await nextTurn();
        command.start();
      }
    },
    async [Symbol.asyncDispose]() {
      const git = await unpacking?.catch(() => undefined);
      git?.kill();
      await Promise.all([git?.end(), connectivity[Symbol.asyncDispose](), move[Symbol.asyncDispose]()]);
    },
  };
}
