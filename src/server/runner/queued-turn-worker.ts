/** Owns handing out turns through a queue: whichever process is free takes a chat, and a chat is one process's at a time. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { JobQueue } from '../../store/queue/job-queue.ts';
import { runTurn } from './run-turn.ts';
import type { TurnPorts } from './turn-ports.ts';
import type { TurnWorker } from './turn-worker.ts';

/** How turns are handed out. */
export interface QueuedTurnWorkerOptions {
  readonly queue: JobQueue;
  /** Turns at once in this process. @default 16 */
  readonly concurrency?: number;
  /** Milliseconds between two looks for chats that have work and no worker; each process looks. @default 2_000 */
  readonly sweepMs?: number;
  /** A chat that was handed out is not handed out again by this process for so many milliseconds. @default 10_000 */
  readonly patienceMs?: number;
}

/** The queue of turns. */
export const TURN_QUEUE = 'turns';
const DEFAULT_CONCURRENCY = 16;
const DEFAULT_SWEEP_MS = 2_000;
const DEFAULT_PATIENCE_MS = 10_000;

/**
 * Starts to work, together with every other process on the database.
 *
 * A job is a hint: the chat's lease decides who works on it, and what has work and no job is found by the sweep. Close the queue
 * first, which ends the turns under way after their last commit, and then the worker.
 */
export async function startQueuedTurnWorker(
  ports: TurnPorts,
  options: QueuedTurnWorkerOptions,
): Promise<TurnWorker> {
  const { queue, concurrency = DEFAULT_CONCURRENCY, sweepMs = DEFAULT_SWEEP_MS } = options;
  const { patienceMs = DEFAULT_PATIENCE_MS } = options;
  const handedOut = new Map<string, number>();
  const worker = crypto.randomUUID();
  await queue.work(TURN_QUEUE, { concurrency }, async ({ payload: chatId }, signal) => {
    await workOn(ports, { chatId, worker, signal });
    handedOut.delete(chatId);
  });
  const wake = (chatId: string): void => {
    handedOut.set(chatId, Date.now());
    queue.enqueue({ queue: TURN_QUEUE, key: chatId, payload: chatId }).catch((cause: unknown) => {
      handedOut.delete(chatId);
      ports.onEvent?.({
        level: 'warn',
        message: 'A chat could not be handed out; a sweep will.',
        chatId,
        cause,
      });
    });
  };
  const sweep = async (): Promise<void> => {
    for (const [chatId, atMs] of handedOut) if (Date.now() - atMs > patienceMs) handedOut.delete(chatId);
    const { runnable, expired } = await ports.machine.sweep();
    for (const chatId of [...runnable, ...expired]) if (!handedOut.has(chatId)) wake(chatId);
  };
  let sweeping: Promise<void> | undefined;
  const look = (): void => {
    sweeping ??= sweep()
      .catch((cause: unknown) => {
        ports.onEvent?.({
          level: 'warn',
          message: 'The database could not be asked for work; it is asked again.',
          cause,
        });
      })
      .finally(() => {
        sweeping = undefined;
      });
  };
  look();
  const timer = setInterval(look, sweepMs);
  return {
    wake,
    close: async () => {
      clearInterval(timer);
      await sweeping;
    },
  };
}

interface Work {
  readonly chatId: string;
  readonly worker: string;
  readonly signal: AbortSignal;
}

/** Rejects for a fault of the server's own: the queue gives the chat out again, after a pause. */
async function workOn({ machine, ...ports }: TurnPorts, { chatId, worker, signal }: Work): Promise<void> {
  try {
    const { fence } = await machine.acquire({ chatId, worker });
    await runTurn({ machine, ...ports }, fence, signal);
  } catch (cause) {
    // Somebody else works on it, or there is nothing to do.
    if (!ChatStateError.isInstance(cause)) throw cause;
  }
}
