/** Worker without a job queue: chats wait in the database until a slot is free. */
import { randomUUID } from 'node:crypto';
import { Places } from '@truecast/store/internal/queue/places';
import { LocalTurns } from './local-turns.ts';
import { sweepForWork } from './sweep-for-work.ts';
import type { TurnSlot } from '../../state/start-with-commit.ts';
import type { TurnPorts } from '../turn-ports.ts';

export interface TurnWorkerOptions {
  /** Worker name in leases. @default a random UUID */
  readonly worker?: string;
  /** Concurrent turns. @default 256 */
  readonly concurrency?: number;
  /** Interval in milliseconds between sweeps for chats without a worker. @default 2_000 */
  readonly sweepMs?: number;
  /** Grace period for turns at close. @default 10_000 */
  readonly closeTimeoutMs?: number;
}

/** A worker in this process. */
export interface TurnWorker {
  /** Announces work on a chat. A hint can arrive twice or never. */
  wake(chatId: string, owner?: string): void;
  /** Reserves a free slot for a turn that its chat's commit starts, unless earlier chats wait. */
  reserve(chatId: string, owner?: string): TurnSlot | undefined;
  /** Releases its turns to other workers, each after its last commit, and waits for them. */
  close(): Promise<void>;
}

/** A turn without a process of a tool needs about 0.1 MB. */
export const DEFAULT_CONCURRENCY = 256;
export const DEFAULT_SWEEP_MS = 2_000;
export const DEFAULT_CLOSE_TIMEOUT_MS = 10_000;

export function startTurnWorker(ports: TurnPorts, options: TurnWorkerOptions = {}): TurnWorker {
  const { worker = randomUUID(), closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const places = new Places(options.concurrency ?? DEFAULT_CONCURRENCY);
  const waiting = new Set<string>();
  const wake = (chatId: string): void => {
    if (!turns.begin(chatId)) waiting.add(chatId);
  };
  const turns = new LocalTurns(ports, { worker, places, wake });
  places.onFree(
    () => {
      for (const chatId of waiting) if (turns.begin(chatId)) waiting.delete(chatId);
    },
    () => waiting.size > 0,
  );
  const sweep = sweepForWork(ports, options.sweepMs ?? DEFAULT_SWEEP_MS, (chatIds) => {
    for (const chatId of chatIds) wake(chatId);
  });
  return {
    wake,
    reserve: (chatId) => turns.reserve(chatId),
    close: async () => {
      await sweep.stop();
      await turns.close(closeTimeoutMs);
    },
  };
}
