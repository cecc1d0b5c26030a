/** Owns the process trees that this process started: how one is ended whole, and that none outlives us. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A command's process and all that it started. Every method is synchronous and may be called when the tree is dead. */
export interface ProcessTree {
  /** Asks it to end. */
  terminate(): void;
  /** Ends it at once. */
  kill(): void;
  /** True while something of it is known to live. */
  isAlive(): boolean;
  /** False while it is not known yet whom to end. @default true */
  isReachable?(): boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const live = new Set<ProcessTree>();

/** Kills `tree` when this process ends before `untrack` is called; returns `untrack`. */
export function trackTree(tree: ProcessTree): () => void {
  if (live.size === 0) watchOwnEnd();
  live.add(tree);
  return () => {
    if (live.delete(tree) && live.size === 0) unwatchOwnEnd();
  };
}

/** Makes the tree of a process that leads its own group. */
export function groupTree(pid: number): ProcessTree {
  return {
    terminate: () => signalGroup(pid, 'SIGTERM'),
    kill: () => signalGroup(pid, 'SIGKILL'),
    isAlive: () => isGroupAlive(pid),
  };
}

/**
 * Makes the tree of a group leader whose environment holds `marker`, a `NAME=value` that no other process has.
 *
 * A daemon that left the group still carries the marker, so on Linux `kill` reaches it as well.
 */
export function markedTree(pid: number, marker: string): ProcessTree {
  const startedAtMs = performance.now();
  return {
    ...groupTree(pid),
    kill() {
      signalGroup(pid, 'SIGKILL');
      const candidates = processIdsSince(pid, performance.now() - startedAtMs);
      for (const stray of candidates.filter((id) => hasInEnvironment(id, marker)))
        signalProcess(Number(stray), 'SIGKILL');
    },
  };
}

/** Sends `signal` to the group that `pid` leads; a group that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform !== 'win32') return signalProcess(-pid, signal);
  // Windows has no groups and no SIGTERM: its own tool ends the tree.
  spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
}

/** Sends `signal` to one process; one that is gone, or not ours any more, is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it ended first. EPERM: the id belongs to someone else by now.
  }
}

function isGroupAlive(pid: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    process.kill(-pid, 0);
  } catch {
    return false;
  }
  // The dead whom nobody has buried yet still make a group; in a container whose first process does not, for ever.
  return process.platform !== 'linux' || processIds().some((id) => isLivingMember(id, pid));
}

function isLivingMember(id: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name stands in parentheses and may hold anything; after it come state, parent and group.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return processGroup === String(group) && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function processIds(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** In less than this the ids of processes cannot have come round: the smallest range of them is 32 768. */
const MAX_ORDERED_MS = 500;
/** How many ids may have been given since the last one was told: in a container that figure may be some seconds old. */
const UNTOLD_IDS = 4_096;

/**
 * Returns who may have been started by the process `pid`, which is `ageMs` old.
 *
 * Linux gives ids in rising order until they come round; what a young process started lies between its own and the last one
 * given. Reading the environment of each process of a busy machine takes this thread milliseconds.
 */
function processIdsSince(pid: number, ageMs: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  const last = ageMs < MAX_ORDERED_MS ? lastProcessId() : 0;
  const isOrdered = last >= pid;
  const isNear = (id: string): boolean => Number(id) > pid && Number(id) <= last + UNTOLD_IDS;
  return isOrdered ? processIds().filter(isNear) : processIds();
}

/** The id that was given last; 0 where the system does not tell. */
function lastProcessId(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1) ?? 0);
  } catch {
    return 0;
  }
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
  // Another listener means that someone ends the work in order; alone, we would have been ended by the signal itself.
  if (process.listenerCount(signal) > 1) return;
  killAll();
  unwatchOwnEnd();
  process.kill(process.pid, signal);
}

/** Tells whether a listener of a signal is this module's own, which alone does not mean that the program handles the signal. */
export function isTreeListener(listener: unknown): boolean {
  return listener === onSignal;
}

function watchOwnEnd(): void {
  process.on('exit', killAll);
  // Groups of their own do not get the terminal's Ctrl-C.
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unwatchOwnEnd(): void {
  process.off('exit', killAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}
