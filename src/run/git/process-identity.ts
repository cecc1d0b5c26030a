/** Owns telling one process from a later one with the same id, so that a lock outlives exactly its holder. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds something, in words that survive the process. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the process's start; absent where the system does not tell. */
  readonly processStartTime?: string | undefined;
  readonly bootId?: string | undefined;
  /** Process ids mean something only inside the namespace they were given in. */
  readonly pidNamespace?: string | undefined;
  readonly host: string;
}

let own: ProcessIdentity | undefined;

/** Returns who this process is. */
export function thisProcess(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    processStartTime: startTimeOf(process.pid),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
    host: hostname(),
  };
  return own;
}

/** Tells whether a process has surely ended. One that cannot be looked at, on another host or in another container, counts as alive. */
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
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function startTimeOf(pid: number): string | undefined {
  const text = readOptional(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field, the program's name, may itself hold blanks and brackets: count from its last bracket.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, though its entry is there until its parent looks.
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
    // Not Linux, or the process is gone: the caller does without.
    return undefined;
  }
}
