/** Process tree of one bubblewrap sandbox: kills all processes in its process namespace. */
import { signalGroup, signalProcess, type ProcessTree } from '../../process/process-tree.ts';

/** Status that bubblewrap reports on its status pipe. */
export interface BubblewrapStatus {
  /** Accepts the pipe's text as it arrives. */
  push(chunk: string): void;
  /** Host process id of the first process inside, as soon as it exists. */
  readonly firstPid: number | undefined;
  /** False if bubblewrap exited without running the command. */
  readonly hasExitCode: boolean;
}

/** Creates a parser of the status pipe, which contains one line of JSON per fact. */
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
 * Creates the process tree of the bubblewrap process `pid`.
 *
 * The guest is in a separate session, so a signal to bubblewrap's group does not reach it. Killing
 * the first process inside ends every process of its namespace before bubblewrap itself exits,
 * daemons included.
 */
export function bubblewrapTree(pid: number, status: BubblewrapStatus): ProcessTree {
  let isOver = false;
  const reach = (signal: NodeJS.Signals): void => {
    const first = status.firstPid;
    if (isOver) return;
    // Before a guest exists, killing bubblewrap is enough.
    if (first === undefined) return signalGroup(pid, 'SIGKILL');
    signalProcess(signal === 'SIGKILL' ? first : -first, signal);
  };
  return {
    terminate: () => reach('SIGTERM'),
    kill: () => reach('SIGKILL'),
    isReachable: () => status.firstPid !== undefined,
    isAlive() {
      // After bubblewrap has exited, its ids can belong to other processes.
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
