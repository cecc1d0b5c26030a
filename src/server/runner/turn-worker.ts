/** Owns working on chats without a queue: what this process has no place for waits in it. */
import { randomUUID } from 'node:crypto';
import { Places } from '../../store/queue/places.ts';
import { LocalTurns } from './local-turns.ts';
import { sweepForWork } from './sweep-for-work.ts';
import type { TurnPorts } from './turn-ports.ts';

/** How a worker works. */
export interface TurnWorkerOptions {
  /** Named in leases. @default a random UUID */
  readonly worker?: string;
  /** Turns at once. @default 16 */
  readonly concurrency?: number;
  /** Milliseconds between two looks for chats that have work and no worker. @default 2_000 */
  readonly sweepMs?: number;
  /** How long turns may take to leave when the worker is closed. @default 10_000 */
  readonly closeTimeoutMs?: number;
}

/** A worker in this process. */
export interface TurnWorker {
  /** Says that a chat has work: a hint that may come twice, or never. */
  wake(chatId: string): void;
  /** Leaves its turns to others, each after its last commit, and waits for that. */
  close(): Promise<void>;
}

export const DEFAULT_CONCURRENCY = 16;
export const DEFAULT_SWEEP_MS = 2_000;
export const DEFAULT_CLOSE_TIMEOUT_MS = 10_000;

/** Starts to work. */
export function startTurnWorker(ports: TurnPorts, options: TurnWorkerOptions = {}): TurnWorker {
  const { worker = randomUUID(), closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const places = new Places(options.concurrency ?? DEFAULT_CONCURRENCY);
  const waiting = new Set<string>();
  const wake = (chatId: string): void => {
    if (!turns.begin(chatId)) waiting.add(chatId);
  };
  const turns = new LocalTurns(ports, { worker, places, wake });
  places.onFree(() => {
    for (const chatId of waiting) if (turns.begin(chatId)) waiting.delete(chatId);
  });
  const sweep = sweepForWork(ports, options.sweepMs ?? DEFAULT_SWEEP_MS, (chatIds) => {
    for (const chatId of chatIds) wake(chatId);
  });
  return {
    wake,
    close: async () => {
      await sweep.stop();
      await turns.close(closeTimeoutMs);
    },
  };
}
