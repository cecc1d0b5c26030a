/**
 * Process identity: distinguishes a process from a later one with the same id, so that a lock
 * expires exactly when its holder ends.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identity of a process that remains valid after it ends. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the process's start. Absent if the system does not report it. */
  readonly processStartTime?: string | undefined;
  readonly bootId?: string | undefined;
  /** Process ids are only valid in the namespace that assigned them. */
  readonly pidNamespace?: string | undefined;
  readonly host: string;
}

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= processIdentity(process.pid);
  return own;
}

/** Returns the identity of a running process on this machine. */
export function processIdentity(pid: number): ProcessIdentity {
  return {
    pid,
    processStartTime: startTimeOf(pid),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
    host: hostname(),
  };
}

/**
 * Returns true if a process is known to have ended. One on another host or in another container
 * cannot be checked, and counts as alive.
 */
export function isSurelyDead(holder: ProcessIdentity): boolean {
  if (holder.host !== hostname()) return false;
  const boot = bootId();
  if (holder.bootId !== undefined && boot !== undefined && holder.bootId !== boot) return true;
  if (holder.pidNamespace !== pidNamespace()) return false;
  if (!isRunning(holder.pid)) return true;
  const startTime = startTimeOf(holder.pid);
  if (holder.processStartTime === undefined || startTime === undefined) return false;
  return startTime !== holder.processStartTime;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function startTimeOf(pid: number): string | undefined {
  const text = readOptional(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field, the program's name, can itself contain spaces and parentheses. Fields are
  // counted from its last parenthesis.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, although its entry exists until its parent reaps it.
  if (fields?.[0] === 'Z' || fields?.[0] === 'X') return 'ended';
  return fields?.[19];
}

function bootId(): string | undefined {
  return readOptional(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function pidNamespace(): string | undefined {
  return readOptional(() => readlinkSync('/proc/self/ns/pid'));
}

function readOptional(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    // Not Linux, or the process has ended. The caller handles both.
    return undefined;
  }
}
