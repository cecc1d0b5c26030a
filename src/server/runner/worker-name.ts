/** Owns the name of a worker in leases, from which another process of the same machine can tell that the worker is dead. */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

const KIND = 'process';
const NEVER = 'never';
const PROCESS_STATE = /^\d+ \(.*\) (?<state>\S)(?: -?\d+){18} (?<startTicks>\d+) /su;

/**
 * Names this process: the machine's start, the namespace of its process ids, its id there, and when it began.
 *
 * Ids are given again, so that one alone says nothing. Where there is no `/proc` the name says nothing of the process, and only the
 * lease tells.
 */
export function nameWorker(): string {
  const place = placeOf();
  const startTicks = startOf(process.pid);
  if (place === undefined || startTicks === undefined) return randomUUID();
  return [KIND, place, process.pid, startTicks, randomUUID()].join(' ');
}

/** Says whether a worker is known to be dead: it was a process here, and there is none such any more. Of others nothing is known. */
export function isDeadWorker(worker: string): boolean {
  const [kind, boot, namespace, pid, startTicks] = worker.split(' ');
  if (kind !== KIND || `${boot} ${namespace}` !== placeOf()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Any other failure says that there is one, of another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
  const start = startOf(Number(pid));
  return start !== undefined && start !== startTicks;
}

/** Where process ids mean the same: undefined when that cannot be told. */
function placeOf(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** When a process began, in ticks since the machine did; undefined when that cannot be told. */
function startOf(pid: number): string | undefined {
  try {
    const { state, startTicks } = PROCESS_STATE.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.groups ?? {};
    // One that has ended, and whose parent has not asked about it yet.
    return state === 'Z' || state === 'X' ? NEVER : startTicks;
  } catch {
    // It has just ended, or its folder is hidden from us.
    return undefined;
  }
}
