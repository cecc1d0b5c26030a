/** Owns sharing turns among processes: each takes its own chats while it has a place, and hands out the others through a queue. */
import { randomUUID } from 'node:crypto';
import type { JobQueue } from '../../store/queue/job-queue.ts';
import { Places } from '../../store/queue/places.ts';
import { LocalTurns } from './local-turns.ts';
import { sweepForWork } from './sweep-for-work.ts';
import type { TurnPorts } from './turn-ports.ts';
import {
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_CONCURRENCY,
  DEFAULT_SWEEP_MS,
  type TurnWorker,
  type TurnWorkerOptions,
} from './turn-worker.ts';

/** How turns are handed out. */
export interface QueuedTurnWorkerOptions extends TurnWorkerOptions {
  readonly queue: JobQueue;
  /** A chat that was handed out is not handed out again by this process for so many milliseconds. @default 10_000 */
  readonly patienceMs?: number;
}

/** The queue of turns. */
export const TURN_QUEUE = 'turns';
const DEFAULT_PATIENCE_MS = 10_000;

/**
 * Starts to work, together with every other process on the database.
 *
 * The chat's lease decides who works on it. A job is a hint, for the processes that have a place when this one has none: whoever
 * works has the first jobs before chats that come later. What has work and no job is found by the sweep. Close the worker before the
 * queue.
 */
export async function startQueuedTurnWorker(
  ports: TurnPorts,
  options: QueuedTurnWorkerOptions,
): Promise<TurnWorker> {
  const { queue, worker = randomUUID(), closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const { patienceMs = DEFAULT_PATIENCE_MS, concurrency = DEFAULT_CONCURRENCY } = options;
  const places = new Places(concurrency);
  const handedOut = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  const enqueue = async (chatId: string): Promise<void> => {
    try {
      await queue.enqueue({ queue: TURN_QUEUE, key: chatId, payload: chatId });
    } catch (cause) {
      handedOut.delete(chatId);
      const message = 'A chat could not be handed out; a sweep will.';
      ports.onEvent?.({ level: 'warn', message, chatId, cause });
    }
  };
  const handOut = (chatId: string): void => {
    handedOut.set(chatId, Date.now());
    const handing = enqueue(chatId).finally(() => underWay.delete(handing));
    underWay.add(handing);
  };
  const wake = (chatId: string): void => {
    if (!turns.begin(chatId)) handOut(chatId);
  };
  const turns = new LocalTurns(ports, { worker, places, wake });
  await queue.work(TURN_QUEUE, { places }, async ({ payload: chatId }) => {
    handedOut.delete(chatId);
    await turns.run(chatId);
  });
  const sweep = sweepForWork(ports, options.sweepMs ?? DEFAULT_SWEEP_MS, (chatId) => {
    if (turns.begin(chatId)) return;
    const atMs = handedOut.get(chatId);
    if (atMs === undefined || Date.now() - atMs > patienceMs) handOut(chatId);
  });
  return {
    wake,
    close: async () => {
      await sweep.stop();
      await turns.close(closeTimeoutMs);
      await Promise.all(underWay);
    },
  };
}
