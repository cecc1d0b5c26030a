/**
 * Process trees started by this process: kills whole trees, and ensures that none outlives this
 * process.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A command's process and all its descendants. Every method is synchronous and can be called on a
 * dead tree.
 */
export interface ProcessTree {
  /** Requests termination. */
  terminate(): void;
  /** Kills the tree at once. */
  kill(): void;
  /** True while a process of the tree is known to be alive. */
  isAlive(): boolean;
  /** False while the process to kill is unknown. @default true */
  isReachable?(): boolean;
}

/** A command's process on the host, which can outlive this process. */
export interface HostProcess {
  /** Leader of its process group. */
  readonly pid: number;
  /** `NAME=value` that only the environments of its tree contain. */
  readonly marker: string;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const live = new Set<ProcessTree>();

/** Kills `tree` if this process exits before `untrack` is called. Returns `untrack`. */
export function trackTree(tree: ProcessTree): () => void {
  if (live.size === 0) watchOwnEnd();
  live.add(tree);
  return () => {
    if (live.delete(tree) && live.size === 0) unwatchOwnEnd();
  };
}

/** Creates the tree of a process group leader. */
export function groupTree(pid: number): ProcessTree {
  return {
    terminate: () => signalGroup(pid, 'SIGTERM'),
    kill: () => signalGroup(pid, 'SIGKILL'),
    isAlive: () => isGroupAlive(pid),
  };
}

/**
 * Creates the tree of a group leader whose environment contains `marker`, a `NAME=value` that no
 * other process has.
 *
 * A daemon that left the group still has the marker in its environment, so on Linux `kill` reaches
 * it too.
 */
export function markedTree(pid: number, marker: string): ProcessTree {
  const startedAtMs = performance.now();
  return {
    ...groupTree(pid),
    kill() {
      signalGroup(pid, 'SIGKILL');
      const candidates = processIdsSince(pid, performance.now() - startedAtMs);
      for (const stray of candidates.filter((id) => hasInEnvironment(id, marker))) {
        signalProcess(Number(stray), 'SIGKILL');
      }
    },
  };
}

/** Sends `signal` to the group that `pid` leads. A missing group is not an error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform !== 'win32') return signalProcess(-pid, signal);
  // Windows has no process groups and no SIGTERM, so its own tool kills the tree.
  spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
}

/**
 * Sends `signal` to one process. A process that has ended, or whose id was reused, is not an error.
 */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it exited before. EPERM: the id now belongs to another user.
  }
}

function isGroupAlive(pid: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    process.kill(-pid, 0);
  } catch {
    return false;
  }
  // Zombies still make up a group. In a container whose init process does not reap them, they stay
  // forever.
  return process.platform !== 'linux' || processIds().some((id) => isLivingMember(id, pid));
}

function isLivingMember(id: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name is in parentheses and can contain anything. After it come state, parent and group.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return processGroup === String(group) && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function processIds(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Process ids cannot wrap around in less than this time: their smallest range is 32 768. */
const MAX_ORDERED_MS = 500;
/**
 * Maximum number of process ids assigned since the last reported one. In a container, the reported
 * id can be some seconds old.
 */
const MAX_UNREPORTED_IDS = 4_096;

/**
 * Returns the ids of possible children of the process `pid`, which is `ageMs` old.
 *
 * Linux assigns ids in rising order until they wrap around. The children of a young process lie
 * between its own id and the last one assigned. Reading the environment of every process on a busy
 * machine blocks this thread for milliseconds.
 */
function processIdsSince(pid: number, ageMs: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  const last = ageMs < MAX_ORDERED_MS ? lastProcessId() : 0;
  const isOrdered = last >= pid;
  const isNear = (id: string): boolean => Number(id) > pid && Number(id) <= last + MAX_UNREPORTED_IDS;
  return isOrdered ? processIds().filter(isNear) : processIds();
}

/** Returns the last assigned process id, or 0 if the system does not report it. */
function lastProcessId(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1) ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Kills every process whose environment contains `marker`, a `NAME=value` of one tree, and returns
 * their number. Linux only.
 */
export function killMarked(marker: string): number {
  if (process.platform !== 'linux') return 0;
  const marked = processIds().filter((id) => hasInEnvironment(id, marker));
  for (const id of marked) signalProcess(Number(id), 'SIGKILL');
  return marked.length;
}

function hasInEnvironment(id: string, marker: string): boolean {
  try {
    return readFileSync(`/proc/${id}/environ`).includes(marker);
  } catch {
    return false;
  }
}

function killAll(): void {
  for (const tree of live) tree.kill();
}

function onSignal(signal: NodeJS.Signals): void {
  // Another listener means that the program shuts down gracefully. Without one, the signal itself
  // would have ended this process.
  if (process.listenerCount(signal) > 1) return;
  killAll();
  unwatchOwnEnd();
  process.kill(process.pid, signal);
}

/**
 * Returns true if a signal listener is this module's. Such a listener alone does not mean that the
 * program handles the signal.
 */
export function isTreeListener(listener: unknown): boolean {
  return listener === onSignal;
}

function watchOwnEnd(): void {
  process.on('exit', killAll);
  // Separate process groups do not receive the terminal's Ctrl-C.
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unwatchOwnEnd(): void {
  process.off('exit', killAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}
