/** Owns ending what runs in one bubblewrap: the process tree behind its process namespace. */
import { signalGroup, signalProcess, type ProcessTree } from '../../process/process-tree.ts';

/** What bubblewrap tells of itself on its status pipe. */
export interface BubblewrapStatus {
  /** Takes the pipe's text as it arrives. */
  push(chunk: string): void;
  /** The host's id of the first process inside, once it is there. */
  readonly firstPid: number | undefined;
  /** False when bubblewrap ended without having run the command. */
  readonly hasExitCode: boolean;
}

/** Makes a reader of the status pipe, a line of JSON for each fact. */
export function createBubblewrapStatus(): BubblewrapStatus {
  let text = '';
  return {
    push(chunk) {
      text += chunk;
    },
    get firstPid() {
      const found = /"child-pid": (\d+)/.exec(text)?.[1];
      return found === undefined ? undefined : Number(found);
    },
    get hasExitCode() {
      return text.includes('"exit-code"');
    },
  };
}

/**
 * Makes the tree of the bubblewrap `pid`.
 *
 * The guest is in a session of its own, so a signal to bubblewrap's group does not reach it. Killing the first process inside
 * ends every process of its namespace before bubblewrap itself exits, daemons included.
 */
export function bubblewrapTree(pid: number, status: BubblewrapStatus): ProcessTree {
  let isOver = false;
  const reach = (signal: NodeJS.Signals): void => {
    const first = status.firstPid;
    if (isOver) return;
    // Before there is a guest, ending bubblewrap is enough.
    if (first === undefined) return signalGroup(pid, 'SIGKILL');
    signalProcess(signal === 'SIGKILL' ? first : -first, signal);
  };
  return {
    terminate: () => reach('SIGTERM'),
    kill: () => reach('SIGKILL'),
    isReachable: () => status.firstPid !== undefined,
    isAlive() {
      // Once bubblewrap is gone its ids may belong to others.
      isOver ||= !isProcessAlive(pid);
      return !isOver;
    },
  };
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
