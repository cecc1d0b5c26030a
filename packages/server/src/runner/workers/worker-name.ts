/**
 * Worker names in leases. From a name, another process on the machine can detect that its worker is
 * dead.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

const KIND = 'process';
const NEVER = 'never';
const PROCESS_STATE = /^\d+ \(.*\) (?<state>\S)(?: -?\d+){18} (?<startTicks>\d+) /su;

/**
 * Names this process by boot id, PID namespace, PID and start time.
 *
 * PIDs are reused, so a PID alone is not enough. Without `/proc` the name identifies no process,
 * and only the lease decides.
 */
export function nameWorker(): string {
  const place = placeOf();
  const startTicks = startOf(process.pid);
  if (place === undefined || startTicks === undefined) return randomUUID();
  return [KIND, place, process.pid, startTicks, randomUUID()].join(' ');
}

/**
 * Returns true if a worker is known to be dead: a process of this machine that no longer exists.
 * Nothing is known about others.
 */
export function isDeadWorker(worker: string): boolean {
  const [kind, boot, namespace, pid, startTicks] = worker.split(' ');
  if (kind !== KIND || `${boot} ${namespace}` !== placeOf()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Any other error means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
  const start = startOf(Number(pid));
  return start !== undefined && start !== startTicks;
}

/** Returns an identifier of the PID namespace and boot. Undefined if unknown. */
function placeOf(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** Start time of a process in ticks since boot. Undefined if unknown. */
function startOf(pid: number): string | undefined {
  try {
    const { state, startTicks } = PROCESS_STATE.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.groups ?? {};
    // A zombie has ended, but its parent has not reaped it.
    return state === 'Z' || state === 'X' ? NEVER : startTicks;
  } catch {
    // The process has just ended, or its folder is hidden from this user.
    return undefined;
  }
}
