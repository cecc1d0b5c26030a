/** Turns of this process: one per chat, each in a worker slot, and their shutdown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { Places } from '@truecast/store/internal/queue/places';
import { runTurn } from './run-turn.ts';
import { stepAside } from './step-aside.ts';
import type { TurnPorts } from './turn-ports.ts';

/** Dependencies of local turns. */
export interface LocalTurnsOptions {
  /** Worker name in leases. */
  readonly worker: string;
  readonly places: Places;
  /** Called when a chat can have more work, because work was announced while its turn ran. */
  readonly wake: (chatId: string) => void;
}

/** The turns of this process. */
export class LocalTurns {
  readonly #ports: TurnPorts;
  readonly #options: LocalTurnsOptions;
  readonly #active = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  readonly #shutdown = new AbortController();

  constructor(ports: TurnPorts, options: LocalTurnsOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** Starts at once. Returns false if every slot is taken, or during shutdown. */
  begin(chatId: string): boolean {
    if (this.#joins(chatId)) return true;
    const { places } = this.#options;
    if (places.take(1) === 0) return false;
    void this.#work(chatId).finally(() => places.giveBack());
    return true;
  }

  /** Works on a chat in the caller's slot. Never rejects. */
  async run(chatId: string): Promise<void> {
    if (this.#shutdown.signal.aborted) this.#options.wake(chatId);
    else if (!this.#joins(chatId)) await this.#work(chatId);
  }

  /**
   * Releases the turns to other workers, each after its last commit, and waits for that, but not
   * for a tool that never ends.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#options.places.close();
    this.#shutdown.abort();
    const waited = new AbortController();
    const ended = Promise.all(this.#active.values());
    await Promise.race([ended, sleep(timeoutMs, undefined, { signal: waited.signal, ref: false })]);
    waited.abort();
  }

  #joins(chatId: string): boolean {
    const isActive = this.#active.has(chatId);
    if (isActive) this.#again.add(chatId);
    return isActive;
  }

  #work(chatId: string): Promise<void> {
    const work = this.#runTurn(chatId).finally(() => {
      this.#active.delete(chatId);
      if (this.#again.delete(chatId)) this.#options.wake(chatId);
    });
    this.#active.set(chatId, work);
    return work;
  }

  /**
   * After an unexpected failure a sweep finds the chat again once its lease has expired, which is
   * the retry delay.
   */
  async #runTurn(chatId: string): Promise<void> {
    const { worker, places } = this.#options;
    try {
      const { fence } = await this.#ports.machine.acquire({ chatId, worker });
      const ports = { ...this.#ports, whileWaiting: stepAside(places) };
      await runTurn(ports, fence, this.#shutdown.signal);
    } catch (cause) {
      // Another worker has it, or there is no work.
      if (ChatStateError.isInstance(cause)) return;
      this.#ports.onEvent?.({
        level: 'error',
        message: 'A turn stopped because of a server error. It will be resumed.',
        chatId,
        cause,
      });
    }
  }
}
