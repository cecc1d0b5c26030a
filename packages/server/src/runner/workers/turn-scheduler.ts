/**
 * Turn scheduler: runs the turns of this process in its worker slots. A chat without a slot waits in
 * memory, and soon in the job queue too, from which any process takes it. The rows decide which waiting
 * chat is next, and the chat's lease decides who works on it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { endedWithin } from '@truecast/store/internal/queue/ended-within';
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { Places } from '@truecast/store/internal/queue/places';
import type { StartedTurn, TurnSlot } from '../../state/start-with-commit.ts';
import { runTurn } from '../run-turn.ts';
import { stepAside } from '../step-aside.ts';
import type { TurnPorts } from '../turn-ports.ts';
import { WaitingChats } from './waiting-chats.ts';

export interface TurnSchedulerOptions {
  /** The way to other processes. Close the scheduler before it. */
  readonly queue: JobQueue;
  /** Worker name in leases. @default a random UUID */
  readonly worker?: string;
  /** Concurrent turns. @default 256 */
  readonly concurrency?: number;
  /** Interval in milliseconds between sweeps for chats without a worker. @default 2_000 */
  readonly sweepMs?: number;
  /** Grace period for turns at close. @default 10_000 */
  readonly closeTimeoutMs?: number;
}

interface GivenTurn {
  readonly owner?: string | undefined;
  /** The turn, if its chat is acquired. */
  readonly started?: StartedTurn;
  /** Ends the count of a turn that is counted. */
  readonly uncount?: () => void;
}

export const TURN_QUEUE = 'turns';
/** A turn without a process of a tool needs about 0.1 MB. */
const DEFAULT_CONCURRENCY = 256;
const DEFAULT_SWEEP_MS = 2_000;
const DEFAULT_CLOSE_TIMEOUT_MS = 10_000;
/** Time in which a slot of this process can become free, before a chat is written to the queue. */
const HAND_OUT_MS = 20;
/** For longer waits, the sweep is precise enough. */
const LONGEST_TIMER_MS = 10_000;

/** Starts a scheduler that shares the turns with every other process on the database. */
export async function startTurnScheduler(
  ports: TurnPorts,
  options: TurnSchedulerOptions,
): Promise<TurnScheduler> {
  const scheduler = new TurnScheduler(ports, options);
  await scheduler.start();
  return scheduler;
}

/** The turns of this process: one per chat, each in a worker slot. */
export class TurnScheduler {
  readonly #ports: TurnPorts;
  readonly #options: TurnSchedulerOptions;
  readonly #worker: string;
  readonly #concurrency: number;
  readonly #places: Places;
  readonly #waiting = new WaitingChats();
  /** Each resolves with true if its chat was acquired. */
  readonly #active = new Map<string, Promise<boolean>>();
  /** Chats that were announced while their turn ran, because they can have more work. */
  readonly #again = new Set<string>();
  /** Chats that are woken before the time of their retry. No other process can acquire them. */
  readonly #early = new Set<string>();
  readonly #shutdown = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #handingOut: Promise<void> | undefined;
  #isLooking = false;
  #stopSweeps = (): Promise<void> => Promise.resolve();

  constructor(ports: TurnPorts, options: TurnSchedulerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#worker = options.worker ?? randomUUID();
    this.#concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
    this.#places = new Places(this.#concurrency);
  }

  async start(): Promise<void> {
    const { queue, sweepMs = DEFAULT_SWEEP_MS } = this.#options;
    await queue.work(TURN_QUEUE, { places: this.#places }, ({ payload }) => this.#take(payload));
    this.#places.onFree(
      () => void this.#look(),
      () => this.#waiting.first !== undefined,
    );
    this.#stopSweeps = queue.schedule(sweepMs, () => this.#sweep());
  }

  /** Announces work on a chat. A hint can arrive twice or never. */
  wake(chatId: string, owner?: string): void {
    this.#start(chatId, owner);
  }

  /**
   * Reserves a slot for a chat whose commit starts its turn. Undefined if no slot is free, or if
   * earlier work waits for it, unless the owner has no other chat.
   */
  reserve(chatId: string, owner?: string): TurnSlot | undefined {
    if (this.#active.has(chatId)) return undefined;
    if (!this.#places.takeUnclaimed() && !this.#takeIdle(owner)) return undefined;
    // Counted from now on: until the commit, the owner can reserve more.
    const uncount = this.#waiting.countTurn(owner);
    return {
      worker: this.#worker,
      begin: (started) => this.#begin(chatId, { owner, started, uncount }),
      giveBack: () => {
        uncount();
        this.#places.giveBack();
      },
    };
  }

  /**
   * Releases the turns to other workers, each after its last commit. Waits for them, but not for a
   * tool that never ends.
   */
  async close(): Promise<void> {
    const { closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = this.#options;
    this.#places.close();
    this.#shutdown.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#stopSweeps();
    await endedWithin(this.#active.values(), closeTimeoutMs);
    await this.#handingOut;
  }

  /** Starts a chat in a free slot that no earlier chat waits for. Otherwise it waits. */
  #start(chatId: string, owner?: string, isFound = false): void {
    if (this.#joins(chatId)) return;
    const isFirst = this.#waiting.first === undefined && this.#places.take(1) === 1;
    if (isFirst || this.#takeIdle(owner)) return this.#begin(chatId, { owner });
    this.#waiting.add(chatId, owner, isFound);
    this.#handOutLater();
  }

  /** Notes work on a chat whose turn runs here. Returns false for any other chat. */
  #joins(chatId: string): boolean {
    const isActive = this.#active.has(chatId);
    if (isActive) {
      this.#waiting.delete(chatId);
      this.#again.add(chatId);
    }
    return isActive;
  }

  /** Takes a slot beyond the limit for an owner without another chat. */
  #takeIdle(owner: string | undefined): boolean {
    return owner !== undefined && this.#waiting.isIdle(owner) && this.#places.takeBeyond();
  }

  /** Queues the chats that still wait, one after the other, so that jobs have the order of their chats. */
  #handOutLater(): void {
    const { signal } = this.#shutdown;
    if (this.#handingOut !== undefined || this.#waiting.first === undefined || signal.aborted) return;
    this.#handingOut = this.#handOut(signal).finally(() => {
      this.#handingOut = undefined;
      this.#handOutLater();
    });
  }

  async #handOut(signal: AbortSignal): Promise<void> {
    await sleep(HAND_OUT_MS, undefined, { signal }).catch(() => undefined);
    // The queue's poll holds the slots for a moment. The chats here get them after it.
    if (this.#active.size < this.#concurrency) return;
    for (const chatId of this.#waiting.due()) {
      if (signal.aborted) return;
      if (!this.#early.has(chatId)) await this.#enqueue(chatId);
    }
  }

  async #enqueue(chatId: string): Promise<void> {
    try {
      // Unique key per job: a stalled worker's job must not block the chat's next one. The lease
      // already serializes turns.
      await this.#options.queue.enqueue({ queue: TURN_QUEUE, key: randomUUID(), payload: chatId });
    } catch (cause) {
      const message = 'Could not queue a chat for another worker. The next sweep queues it.';
      this.#ports.onEvent?.({ level: 'warn', message, chatId, cause });
    }
  }

  /** Works on a job in the queue's slot. Never rejects. */
  async #take(chatId: string): Promise<void> {
    if (this.#shutdown.signal.aborted) return this.#enqueue(chatId);
    await this.#work(await this.#fairest(chatId), chatId);
  }

  /** Gives free slots to the waiting chats. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (let first = this.#waiting.first; first !== undefined; first = this.#waiting.first) {
      if (this.#places.take(1) === 0) break;
      const next = await this.#fairest(first);
      void this.#work(next, first).finally(() => this.#places.giveBack());
    }
    this.#isLooking = false;
  }

  /** Finds chats that have work and no worker, whatever happened to their hints. */
  async #sweep(): Promise<void> {
    const beganMs = performance.now();
    try {
      const { runnable, expired, isComplete } = await this.#ports.machine.sweep();
      const found = new Set([...runnable, ...expired]);
      // The others have a worker in another process by now.
      if (isComplete) this.#waiting.keepOnly(new Set([...found, ...this.#early]), beganMs);
      if (!this.#shutdown.signal.aborted) for (const chatId of found) this.#start(chatId, undefined, true);
    } catch (cause) {
      const message = 'Could not query the database for work. The next sweep tries again.';
      this.#ports.onEvent?.({ level: 'warn', message, cause });
    }
  }

  /** Returns the chat that gets a slot: `chatId`, or the first chat of the owner who is next. */
  async #fairest(chatId: string): Promise<string> {
    if (this.#early.has(chatId)) return chatId;
    // If the database is unreachable, the following acquisition fails and reports it.
    return this.#ports.machine.fairestChat(chatId).catch(() => chatId);
  }

  /** Works in a taken slot on the next chat, or on the announced one if that has a worker. Never rejects. */
  async #work(next: string, announced: string): Promise<void> {
    if (next !== announced && !this.#active.has(next) && (await this.#turnOf(next))) return;
    if (!this.#joins(announced)) await this.#turnOf(announced);
  }

  #begin(chatId: string, given: GivenTurn): void {
    void this.#turnOf(chatId, given).finally(() => this.#places.giveBack());
  }

  /** Resolves with true if the chat was acquired. */
  #turnOf(chatId: string, given: GivenTurn = {}): Promise<boolean> {
    const known = this.#waiting.delete(chatId);
    const { owner = known, started, uncount = this.#waiting.countTurn(owner) } = given;
    const work = this.#run(chatId, owner, started).finally(() => {
      uncount();
      this.#active.delete(chatId);
      if (this.#again.delete(chatId)) this.wake(chatId, owner);
    });
    this.#active.set(chatId, work);
    return work;
  }

  /**
   * After an unexpected failure, a sweep finds the chat again once its lease has expired. This is
   * the retry delay.
   */
  async #run(chatId: string, owner: string | undefined, started?: StartedTurn): Promise<boolean> {
    const ports: TurnPorts = {
      ...this.#ports,
      whileWaiting: stepAside(this.#places, () => owner !== undefined && this.#waiting.isAlone(owner)),
      wakeLater: (waiting, delayMs) => this.#wakeLater(waiting, owner, delayMs),
      wakeEarly: (waiting) => {
        this.#early.add(waiting);
        this.wake(waiting, owner);
      },
    };
    try {
      await runTurn(ports, started ?? (await this.#acquire(chatId)), this.#shutdown.signal);
      return true;
    } catch (cause) {
      // Another worker has the chat, or no work is left.
      if (ChatStateError.isInstance(cause)) return false;
      const message = 'A turn stopped because of a server error. It will be resumed.';
      this.#ports.onEvent?.({ level: 'error', message, chatId, cause });
      return false;
    }
  }

  async #acquire(chatId: string): Promise<StartedTurn> {
    const isEarly = this.#early.delete(chatId);
    return this.#ports.machine.acquire({ chatId, worker: this.#worker, isEarly });
  }

  /** Wakes a chat when its retry is due. Long waits are left to the sweep. */
  #wakeLater(chatId: string, owner: string | undefined, delayMs: number): void {
    if (delayMs > LONGEST_TIMER_MS || this.#shutdown.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake(chatId, owner);
    }, delayMs);
    this.#timers.add(timer);
  }
}
