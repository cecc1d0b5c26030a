/**
 * Watch over other workers' heartbeats, by the clock of this process. A worker is lost if its heartbeat stays
 * the same for the time of a lease, during which this process could itself reach the database. So an outage
 * of the database makes no worker lost, and clocks of machines are not compared.
 */

/** A worker and its last heartbeat, as read. */
export interface SeenWorker {
  readonly worker: string;
  /** Undefined without a row. */
  readonly heartbeatAt: number | undefined;
}

export interface WorkerWatchOptions {
  readonly leaseMs: number;
  /** Maximum time between two reads. After a longer one, the watch begins again. */
  readonly gapMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

export class WorkerWatch {
  readonly #options: WorkerWatchOptions;
  readonly #seen = new Map<string, { readonly heartbeatAt: number | undefined; readonly sinceMs: number }>();
  #lastMs = -Infinity;

  constructor(options: WorkerWatchOptions) {
    this.#options = options;
  }

  /** Records one read of all workers. Returns true for a worker that is lost, or was for more leases than one. */
  read(workers: readonly SeenWorker[]): (worker: string, leases?: number) => boolean {
    const { leaseMs, gapMs, now } = this.#options;
    const nowMs = now();
    if (nowMs - this.#lastMs > gapMs) this.#seen.clear();
    this.#lastMs = nowMs;
    const names = new Set(workers.map(({ worker }) => worker));
    for (const worker of this.#seen.keys()) if (!names.has(worker)) this.#seen.delete(worker);
    for (const { worker, heartbeatAt } of workers) {
      const known = this.#seen.get(worker);
      if (known === undefined || known.heartbeatAt !== heartbeatAt) {
        this.#seen.set(worker, { heartbeatAt, sinceMs: nowMs });
      }
    }
    return (worker, leases = 1) => nowMs - (this.#seen.get(worker)?.sinceMs ?? nowMs) >= leases * leaseMs;
  }
}
