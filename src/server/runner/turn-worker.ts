/** Owns working on chats: one turn of a chat at a time, several chats at once, and a sweep for those that nobody told of. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import { runTurn } from './run-turn.ts';
import type { TurnPorts } from './turn-ports.ts';

/** How a worker works. */
export interface TurnWorkerOptions {
  /** Named in leases. @default a random UUID */
  readonly worker?: string;
  /** Turns at once. @default 16 */
  readonly concurrency?: number;
  /** Milliseconds between two looks for chats that have work and no worker. @default 2_000 */
  readonly sweepMs?: number;
}

/** A worker in this process. */
export interface TurnWorker {
  /** Says that a chat has work: a hint that may come twice, or never. */
  wake(chatId: string): void;
  /** Leaves its turns to others, each after its last commit, and waits for that. */
  close(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 16;
const DEFAULT_SWEEP_MS = 2_000;

/** Starts to work. */
export function startTurnWorker(ports: TurnPorts, options: TurnWorkerOptions = {}): TurnWorker {
  const { worker = crypto.randomUUID(), concurrency = DEFAULT_CONCURRENCY } = options;
  const shutdown = new AbortController();
  const waiting = new Set<string>();
  const active = new Map<string, Promise<void>>();
  const begin = (): void => {
    for (const chatId of waiting) {
      if (active.size >= concurrency || shutdown.signal.aborted) return;
      if (active.has(chatId)) continue;
      waiting.delete(chatId);
      const work = workOn(ports, { chatId, worker, shutdown: shutdown.signal }).finally(() => {
        active.delete(chatId);
        begin();
      });
      active.set(chatId, work);
    }
  };
  const wake = (chatId: string): void => {
    waiting.add(chatId);
    begin();
  };
  const sweep = (): void => {
    void lookForWork(ports).then((chatIds) => chatIds.forEach(wake));
  };
  sweep();
  const timer = setInterval(sweep, options.sweepMs ?? DEFAULT_SWEEP_MS);
  return {
    wake,
    close: async () => {
      clearInterval(timer);
      shutdown.abort();
      await Promise.allSettled(active.values());
    },
  };
}

interface Work {
  readonly chatId: string;
  readonly worker: string;
  readonly shutdown: AbortSignal;
}

/** Never rejects: what fails here is found again by a sweep, once the lease has run out. */
async function workOn(ports: TurnPorts, { chatId, worker, shutdown }: Work): Promise<void> {
  try {
    const { fence } = await ports.machine.acquire({ chatId, worker });
    await runTurn(ports, fence, shutdown);
  } catch (cause) {
    // Somebody else works on it, or there is nothing to do.
    if (ChatStateError.isInstance(cause)) return;
    ports.onEvent?.({
      level: 'error',
      message: 'A turn stopped for a fault of the server; it is taken up again.',
      chatId,
      cause,
    });
  }
}

async function lookForWork(ports: TurnPorts): Promise<readonly string[]> {
  try {
    const { runnable, expired } = await ports.machine.sweep();
    return [...runnable, ...expired];
  } catch (cause) {
    ports.onEvent?.({
      level: 'warn',
      message: 'The database could not be asked for work; it is asked again.',
      cause,
    });
    return [];
  }
}
