/**
 * Worker that shares turns among processes: runs its own chats while it has a free slot, and
 * enqueues the others.
 */
import { randomUUID } from 'node:crypto';
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { Places } from '@truecast/store/internal/queue/places';
import { LocalTurns } from './local-turns.ts';
import { sweepForWork } from './sweep-for-work.ts';
import type { TurnPorts } from '../turn-ports.ts';
import {
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_CONCURRENCY,
  DEFAULT_SWEEP_MS,
  type TurnWorker,
  type TurnWorkerOptions,
} from './turn-worker.ts';

/** Options of a queued worker. */
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

/** Name of the turn queue. */
export const TURN_QUEUE = 'turns';
const DEFAULT_PATIENCE_MS = 4_000;

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
  let underWay = 0;
  let lastEnqueued = Promise.resolve();
  const enqueue = async (chatId: string): Promise<void> => {
    try {
      // Unique key per job: a stalled worker's job must not block the chat's next one. The lease
      // already serializes turns.
      await queue.enqueue({ queue: TURN_QUEUE, key: randomUUID(), payload: chatId });
    } catch (cause) {
      const message = 'Could not queue a chat for another worker. The next sweep queues it.';
      ports.onEvent?.({ level: 'warn', message, chatId, cause });
    }
  };
  // Enqueues one after the other, so that jobs run in the order of their chats.
  const handOut = (chatId: string): void => {
    underWay += 1;
    lastEnqueued = lastEnqueued
      .then(() => enqueue(chatId))
      .finally(() => {
        underWay -= 1;
      });
  };
  const wake = (chatId: string): void => {
    // A slot that becomes free now belongs to a chat that is still being enqueued.
    if (underWay > 0 || !turns.begin(chatId)) handOut(chatId);
  };
  const turns = new LocalTurns(ports, { worker, places, wake });
  await queue.work(TURN_QUEUE, { places }, ({ payload: chatId }) => turns.run(chatId));
  const takeOrHandOut = leftovers({ begin: (chatId) => turns.begin(chatId), handOut, patienceMs });
  const sweep = sweepForWork(ports, options.sweepMs ?? DEFAULT_SWEEP_MS, takeOrHandOut);
  return {
    wake,
    // Chats that are being enqueued take precedence.
    reserve: (chatId) => (underWay > 0 ? undefined : turns.reserve(chatId)),
    close: async () => {
      await sweep.stop();
      await turns.close(closeTimeoutMs);
      await lastEnqueued;
    },
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
