/** Worker of agent runs: takes jobs, claims runs for free places, and takes over those of lost workers. */
import { endedWithin } from '@truecast/store/internal/queue/ended-within';
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { Places } from '@truecast/store/internal/queue/places';
import type { RemovedRemains } from '../../contract/observed-work.ts';
import type { AgentExecutor, ExecutionStop, RunOutcome } from '../agent-executor.ts';
import { isOffered } from '../claim-order.ts';
import { hasAnswer } from '../run-transitions.ts';
import type { RunMachine } from '../state/run-machine.ts';
import { IDLE_BEAT_MS, type OfferedRuns, type WorkersRun } from '../state/run-workers.ts';
import type { HeldRun } from '../state/run-work.ts';
import { ActiveRun, isOthers } from './active-run.ts';
import { cleanUpRuns } from './clean-up.ts';
import { SharedRefusals } from './shared-refusals.ts';
import { WorkerWatch } from './worker-watch.ts';

/** Queue of jobs that announce queued runs. */
export const RUN_QUEUE = 'agent-runs';

export interface RunWorkerPorts {
  readonly machine: RunMachine;
  readonly executor: AgentExecutor;
  readonly queue: Pick<JobQueue, 'work' | 'schedule'>;
  /** Name of this worker, with which another process can see that it is dead. */
  readonly worker: string;
  /** Returns true if a worker is known to be dead. */
  readonly isDeadWorker: (worker: string) => boolean;
  /** Called with faults outside any call. */
  readonly onFault: (message: string, cause: unknown) => void;
  /** Called with the parts that were removed from this machine. @default none */
  readonly onCleanUp?: (removed: RemovedRemains) => void;
}

export interface RunWorkerOptions {
  /** Time without a heartbeat after which a worker is lost. @default 30_000 */
  readonly leaseMs?: number;
  /** @default 3_000 */
  readonly heartbeatMs?: number;
  /** Interval of the search for lost workers and for runs without a job. @default 2_000 */
  readonly sweepMs?: number;
  /** Grace period for agents to stop when the worker closes. @default 10_000 */
  readonly closeTimeoutMs?: number;
  /** Time for which this machine keeps what ended runs left. @default for ever */
  readonly keepMs?: number;
  /** Interval of the clean-up of what ended runs left on this machine. @default 600_000 */
  readonly cleanUpMs?: number;
}

/** The worker of this process. */
export interface RunWorker {
  /** Claims that found no run. */
  readonly refusals: number;
  /** Leaves its runs to other workers. */
  close(): Promise<void>;
}

const LEASE_MS = 30_000;
const HEARTBEAT_MS = 3_000;
const SWEEP_MS = 2_000;
const CLOSE_MS = 10_000;
const CLEAN_UP_MS = 600_000;
/** Workers that can be lost before a run fails. */
const EXECUTIONS = 3;

/** Starts the worker. The machine and the queue must outlive it. */
export async function startRunWorker(
  ports: RunWorkerPorts,
  options: RunWorkerOptions = {},
): Promise<RunWorker> {
  const worker = new Worker(ports, options);
  await worker.start();
  return worker;
}

type Executes = Pick<AgentExecutor, 'execute'>;

class Worker implements RunWorker {
  readonly #ports: RunWorkerPorts;
  readonly #options: RunWorkerOptions;
  readonly #places: Places;
  readonly #watch: WorkerWatch;
  readonly #running = new Map<ActiveRun, Promise<void>>();
  #stops: readonly (() => Promise<void>)[] = [];
  #isClosing = false;
  readonly #claims = new SharedRefusals<HeldRun>();
  #lastBeatMs = -Infinity;
  #orphans: ReadonlySet<string> = new Set();

  constructor(ports: RunWorkerPorts, options: RunWorkerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#places = new Places(ports.executor.places);
    const { sweepMs = SWEEP_MS, leaseMs = LEASE_MS } = options;
    const now = (): number => performance.now();
    this.#watch = new WorkerWatch({ leaseMs, gapMs: Math.max(3 * sweepMs, leaseMs / 2), now });
  }

  get refusals(): number {
    return this.#claims.refusals;
  }

  get #offered(): OfferedRuns {
    const { places, offers } = this.#ports.executor;
    return { repositories: offers.repositories, agents: offers.agents, places };
  }

  async start(): Promise<void> {
    const { queue, machine } = this.#ports;
    const { heartbeatMs = HEARTBEAT_MS, sweepMs = SWEEP_MS, cleanUpMs = CLEAN_UP_MS } = this.#options;
    await machine.forgetWorkers();
    const stopListening = machine.onCanceling((runId) => this.#cancel(runId));
    this.#stops = [
      queue.schedule(heartbeatMs, () => this.#guard('send the heartbeat', () => this.#beat())),
      queue.schedule(sweepMs, () => this.#guard('search for runs', () => this.#sweep())),
      queue.schedule(cleanUpMs, () => this.#guard('clean up after ended runs', () => this.#cleanUp())),
      async () => stopListening(),
    ];
    await queue.work(RUN_QUEUE, { places: this.#places }, () => this.#workInPlace());
  }

  async close(): Promise<void> {
    const { machine, worker } = this.#ports;
    this.#claimNoMore();
    const { closeTimeoutMs = CLOSE_MS } = this.#options;
    for (const execution of this.#running.keys()) execution.stop('leaving');
    await endedWithin(this.#running.values(), closeTimeoutMs);
    for (const stop of this.#stops) await stop();
    await machine.signOff(worker).catch(() => undefined);
  }

  /** Works in a place that is taken, until no run can start in it. A job only says that there is work. */
  async #workInPlace(): Promise<void> {
    while (!this.#isClosing) {
      const held = await this.#claim();
      if (held === undefined) return;
      await this.#execute(held);
    }
  }

  /** Of several jobs that are taken at once, one claim is enough if no run can start. */
  #claim(): Promise<HeldRun | undefined> {
    const { machine, executor, worker } = this.#ports;
    const claim = { worker, offers: executor.offers, wantsRun: () => !this.#isClosing };
    return this.#claims.next(() => machine.claimNext(claim));
  }

  async #execute(held: HeldRun, executor: Executes = this.#ports.executor): Promise<void> {
    const execution = new ActiveRun({ ...this.#ports, executor, onLeave: () => this.#claimNoMore() }, held);
    if (held.isCanceling) execution.stop('canceled');
    if (this.#isClosing) execution.stop('leaving');
    const ended = execution.run().finally(() => this.#running.delete(execution));
    this.#running.set(execution, ended);
    await ended;
  }

  #claimNoMore(): void {
    this.#isClosing = true;
    this.#places.close();
  }

  #cancel(runId: string): void {
    for (const execution of this.#running.keys()) {
      if (execution.fence.runId === runId) execution.stop('canceled');
    }
  }

  /**
   * Sends the heartbeat, and stops the runs that were canceled or that another worker has. A process without
   * runs only says every 30 seconds that it is there.
   */
  async #beat(): Promise<void> {
    const { machine, worker } = this.#ports;
    const own = [...this.#running.keys()];
    const now = performance.now();
    if (own.length === 0 && now - this.#lastBeatMs < IDLE_BEAT_MS) return;
    await machine.beat(worker, this.#offered);
    this.#lastBeatMs = now;
    if (own.length === 0) return;
    const standings = await machine.runsOfWorker(worker);
    for (const execution of own) {
      const { runId, generation } = execution.fence;
      const standing = standings.get(`${runId} ${generation}`);
      if (standing === undefined) execution.stop('superseded');
      else if (standing === 'canceling') execution.stop('canceled');
    }
  }

  async #sweep(): Promise<void> {
    const { machine } = this.#ports;
    await machine.expireRuns();
    await machine.cancelBatchRuns();
    await machine.cancelLeftRuns();
    await this.#takeOver();
    // A run whose job is lost, or that a limit held back, has no other hint.
    while (!this.#isClosing && this.#places.takeUnclaimed()) {
      let held: HeldRun | undefined;
      try {
        held = await this.#claim();
      } finally {
        if (held === undefined) this.#places.giveBack();
      }
      if (held === undefined) return;
      this.#begin(this.#execute(held).then(() => this.#workInPlace()));
    }
  }

  /** Continues the runs of lost workers that this process can execute, and ends canceled ones that none took. */
  async #takeOver(): Promise<void> {
    const { machine, executor, isDeadWorker, worker } = this.#ports;
    const all = await machine.heldByWorkers();
    const foreign = all.filter((run) => run.worker !== worker);
    const isSilent = this.#watch.read(foreign);
    const lost = foreign.filter(
      (run) => isDeadWorker(run.worker) || isSilent(run.worker, executor.leases ?? 1),
    );
    for (const run of lost) if (run.isCanceling && isSilent(run.worker, 2)) await this.#endCanceling(run);
    for (const run of [...lost, ...this.#findOrphans(all)]) {
      if (this.#isClosing || !isOffered({ ...run, owner: '' }, executor.offers)) continue;
      if (this.#places.take(1) === 0) return;
      this.#begin(this.#takeOverOne(run));
    }
  }

  /**
   * Finds runs that this worker has and does not execute, such as after a claim whose commit was not
   * confirmed. A claim of this moment is one too, so two sweeps in a row must find it.
   */
  #findOrphans(held: readonly WorkersRun[]): readonly WorkersRun[] {
    const own = new Set([...this.#running.keys()].map(({ fence }) => fence.runId));
    const found = held.filter(({ worker, runId }) => worker === this.#ports.worker && !own.has(runId));
    const known = found.filter(({ runId }) => this.#orphans.has(runId));
    this.#orphans = new Set(found.map(({ runId }) => runId));
    return known;
  }

  /** Gives the place back after the work. */
  #begin(work: Promise<void>): void {
    void work
      .catch((cause: unknown) => this.#ports.onFault('A run could not be claimed. It is tried again.', cause))
      .finally(() => this.#places.giveBack());
  }

  /** After the second lease, so that a worker with the run's repository can first report the commits. */
  async #endCanceling({ runId, ...lost }: WorkersRun): Promise<void> {
    try {
      await this.#ports.machine.endCanceling({ runId, lost });
    } catch (cause) {
      if (!isOthers(cause)) throw cause;
    }
  }

  async #takeOverOne({ runId, ...lost }: WorkersRun): Promise<void> {
    const { machine, executor, worker, onFault } = this.#ports;
    try {
      const held = await machine.takeOver({ runId, worker, lost });
      if (held === undefined) return;
      const { request, earlier } = held.claimed;
      const limit = request.limits?.executions ?? EXECUTIONS;
      // An accepted answer needs no agent, so the limit of executions does not end its run.
      const isLast = held.losses >= limit + (hasAnswer(earlier?.phase) ? EXECUTIONS : 0);
      await this.#execute(held, isLast ? toReader(executor) : executor);
    } catch (cause) {
      if (isOthers(cause)) return;
      onFault('A run of a lost worker could not be taken over. The next sweep tries again.', cause);
    }
  }

  async #cleanUp(): Promise<void> {
    const { onCleanUp = () => undefined } = this.#ports;
    const { keepMs = Infinity } = this.#options;
    const options = { ...this.#ports, keepMs, onCleanUp, isClosing: () => this.#isClosing };
    while (!this.#isClosing && (await cleanUpRuns(options)));
  }

  async #guard(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#ports.onFault(`Could not ${what} of agent runs. It is tried again.`, cause);
    }
  }
}

/** Executor of a run that must not be executed again. It starts no agent, and reads the work that is on the branch. */
function toReader(executor: Executes): Executes {
  const signal = AbortSignal.abort('leaving' satisfies ExecutionStop);
  return {
    async execute(claimed, report) {
      // The row has the commits that earlier workers stored.
      const found: RunOutcome = await executor.execute(claimed, { ...report, signal }).catch(() => ({}));
      return { ...found, status: 'lost', reason: 'executions' };
    },
  };
}
