/** Pool of workers that share modules between files, and are replaced after some, because they grow. */
import { ForksPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node';

/** Files of a worker. The unit suites take 110 s of processor time with 40, 95 with 120, and 97 with workers that stay. */
const FILES = 120;

class FreshWorker extends ForksPoolWorker {
  override readonly name = 'fresh-forks';
  #files = 0;

  override send(message: WorkerRequest): void {
    if (message.type === 'run') this.#files += 1;
    super.send(message);
  }

  /** Vitest asks more than once between two files, and expects the same answer. */
  canReuse(): boolean {
    return this.#files < FILES;
  }
}

/** For the option `pool` of suites that share workers. All have the same environment. */
export const freshWorkers = {
  name: 'fresh-forks',
  createPoolWorker: (options: PoolOptions): PoolWorker => new FreshWorker(options),
};
