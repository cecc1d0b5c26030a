/**
 * Worker that shares turns among processes: runs its own chats while it has a free slot. Other
 * chats wait in memory, or in the queue if another process can take them.
 */
import { randomUUID } from 'node:crypto';
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { Places } from '@truecast/store/internal/queue/places';
import { LocalTurns } from './local-turns.ts';
import { sweepForWork } from './sweep-for-work.ts';
import type { TurnPorts } from '../turn-ports.ts';
import { WaitingChats } from './waiting-chats.ts';
import {
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_CONCURRENCY,
  DEFAULT_SWEEP_MS,
  type TurnWorker,
  type TurnWorkerOptions,
} from './turn-worker.ts';

export interface QueuedTurnWorkerOptions extends TurnWorkerOptions {
  readonly queue: JobQueue;
  /**
   * Milliseconds before this worker enqueues a chat that a sweep found without a free slot, because
   * it probably has a job. Doubles each time.
   *
   * @default 4_000
   */
  readonly patienceMs?: number;
}

export const TURN_QUEUE = 'turns';
const DEFAULT_PATIENCE_MS = 4_000;
/** A chat that waits in memory is queued after this time, for processes that were not heard. */
const MEMORY_MS = 1_000;

/**
 * Starts a worker that cooperates with every other process on the database.
 *
 * The chat's lease decides who works on it. A job is a hint for processes with a free slot, when
 * this one has none. Queued jobs take precedence over later chats. The sweep finds work without a
 * job. Close the worker before the queue.
 */
export async function startQueuedTurnWorker(
  ports: TurnPorts,
  options: QueuedTurnWorkerOptions,
): Promise<TurnWorker> {
  const { queue, worker = randomUUID(), closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const { patienceMs = DEFAULT_PATIENCE_MS, concurrency = DEFAULT_CONCURRENCY } = options;
  const places = new Places(concurrency);
  const jobs = jobsFor(queue, ports);
  const waiting = new WaitingChats();
  const wake = (chatId: string, owner?: string): void => {
    // A slot that becomes free now belongs to an earlier chat.
    const isFirst = !jobs.areUnderWay() && waiting.isEmpty;
    if (isFirst && turns.begin(chatId, owner)) return;
    if (turns.beginIdle(chatId, owner)) return;
    waiting.add({ chatId, owner });
    if (queue.hasPeers(TURN_QUEUE)) handOut(Infinity);
  };
  const handOut = (arrivedBeforeMs: number): void => {
    for (const { chatId } of waiting.takeArrivedBefore(arrivedBeforeMs, (id) => turns.isEarly(id)))
      jobs.add(chatId);
  };
  const turns = new LocalTurns(ports, { worker, places, wake, owners: waiting });
  await queue.work(TURN_QUEUE, { places }, ({ payload: chatId }) => turns.run(chatId));
  beginWaiting({ places, waiting, turns });
  const timer = setInterval(() => {
    handOut(queue.hasPeers(TURN_QUEUE) ? Infinity : performance.now() - MEMORY_MS);
  }, MEMORY_MS / 4);
  const takeOrHandOut = leftovers({
    begin: (chatId) => waiting.has(chatId) || turns.begin(chatId),
    handOut: jobs.add,
    patienceMs,
  });
  const sweep = sweepForWork(ports, options.sweepMs ?? DEFAULT_SWEEP_MS, takeOrHandOut);
  return {
    wake,
    // Chats that are being enqueued take precedence.
    reserve: (chatId, owner) => turns.reserve(chatId, owner, jobs.areUnderWay()),
    close: async () => {
      clearInterval(timer);
      await sweep.stop();
      await turns.close(closeTimeoutMs);
      await jobs.added();
    },
  };
}

interface MemoryOfWork {
  readonly places: Places;
  readonly waiting: WaitingChats;
  readonly turns: Pick<LocalTurns, 'begin'>;
}

/** Begins the next waiting chats whenever a slot becomes free. */
function beginWaiting({ places, waiting, turns }: MemoryOfWork): void {
  places.onFree(
    () => {
      for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
        if (!turns.begin(next.chatId, next.owner)) return;
        waiting.delete(next);
      }
    },
    () => !waiting.isEmpty,
  );
}

interface Jobs {
  /** Enqueues one chat after the other, so that jobs run in the order of their chats. */
  add(chatId: string): void;
  /** Returns true while a job is on its way to the queue. */
  areUnderWay(): boolean;
  /** Resolves when no job is on its way. */
  added(): Promise<void>;
}

function jobsFor(queue: JobQueue, { onEvent }: TurnPorts): Jobs {
  let underWay = 0;
  let last = Promise.resolve();
  const enqueue = async (chatId: string): Promise<void> => {
    try {
      // Unique key per job: a stalled worker's job must not block the chat's next one. The lease
      // already serializes turns.
      await queue.enqueue({ queue: TURN_QUEUE, key: randomUUID(), payload: chatId });
    } catch (cause) {
      const message = 'Could not queue a chat for another worker. The next sweep queues it.';
      onEvent?.({ level: 'warn', message, chatId, cause });
    }
  };
  return {
    add: (chatId) => {
      underWay += 1;
      last = last
        .then(() => enqueue(chatId))
        .finally(() => {
          underWay -= 1;
        });
    },
    areUnderWay: () => underWay > 0,
    added: () => last,
  };
}

interface Leftovers {
  readonly begin: (chatId: string) => boolean;
  readonly handOut: (chatId: string) => void;
  readonly patienceMs: number;
}

/**
 * Takes chats found by a sweep while slots are free. The others most likely have a waiting job
 * already.
 */
function leftovers({ begin, handOut, patienceMs }: Leftovers): (chatIds: readonly string[]) => void {
  let waits = new Map<string, { readonly untilMs: number; readonly patienceMs: number }>();
  return (chatIds) => {
    const nowMs = performance.now();
    const left: typeof waits = new Map();
    for (const chatId of chatIds) {
      if (begin(chatId)) continue;
      const wait = waits.get(chatId) ?? { untilMs: nowMs + patienceMs, patienceMs };
      const next = wait.patienceMs * 2;
      if (nowMs < wait.untilMs) left.set(chatId, wait);
      else {
        handOut(chatId);
        left.set(chatId, { untilMs: nowMs + next, patienceMs: next });
      }
    }
    waits = left;
  };
}
