/** Turns of this process: one per chat, each in a worker slot, and their shutdown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { Places } from '@truecast/store/internal/queue/places';
import type { StartedTurn, TurnSlot } from '../../state/start-with-commit.ts';
import { runTurn } from '../run-turn.ts';
import { stepAside } from '../step-aside.ts';
import type { TurnPorts } from '../turn-ports.ts';
import type { WaitingChat, WaitingChats } from './waiting-chats.ts';

/** For longer waits, the sweep is precise enough. */
const LONGEST_TIMER_MS = 10_000;

/** Dependencies of local turns. */
export interface LocalTurnsOptions {
  /** Worker name in leases. */
  readonly worker: string;
  readonly places: Places;
  /** Called if work was announced while a chat's turn ran, because the chat can have more work. */
  readonly wake: (chatId: string, owner?: string) => void;
  /** The turns by owner. @default owners are not distinguished */
  readonly owners?: Pick<WaitingChats, 'countTurn' | 'isAlone' | 'isIdle'>;
}

interface GivenTurn {
  readonly owner?: string | undefined;
  /** The turn, if its chat is acquired. */
  readonly started?: StartedTurn;
  /** Ends the count of a turn that is counted. */
  readonly uncount?: (() => void) | undefined;
}

/** The turns of this process. */
export class LocalTurns {
  readonly #ports: TurnPorts;
  readonly #options: LocalTurnsOptions;
  readonly #active = new Map<string, Promise<boolean>>();
  readonly #again = new Set<string>();
  /** Chats that are woken before the time of their retry. */
  readonly #early = new Set<string>();
  readonly #shutdown = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(ports: TurnPorts, options: LocalTurnsOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** Starts at once. Returns false if every slot is taken, or during shutdown. */
  begin(chatId: string, owner?: string): boolean {
    if (this.#joins(chatId)) return true;
    const { places } = this.#options;
    if (places.take(1) === 0) return false;
    void this.#work(chatId, { owner }).finally(() => places.giveBack());
    return true;
  }

  /** Starts the chat of an owner without another one at once, beyond the slots. Else returns false. */
  beginIdle(chatId: string, owner: string | undefined): boolean {
    if (this.#active.has(chatId) || !this.#takeIdle(owner)) return false;
    void this.#work(chatId, { owner }).finally(() => this.#options.places.giveBack());
    return true;
  }

  /**
   * Reserves a slot for a chat whose commit starts its turn. Undefined if no slot is free, or if
   * earlier work waits for it, unless the owner has no other chat.
   *
   * @param isClaimed - true if earlier chats are about to wait
   */
  reserve(chatId: string, owner?: string, isClaimed = false): TurnSlot | undefined {
    const { places, worker, owners } = this.#options;
    if (this.#active.has(chatId)) return undefined;
    if ((isClaimed || !places.takeUnclaimed()) && !this.#takeIdle(owner)) return undefined;
    // Counted from now on: until the commit, the owner can reserve more.
    const uncount = owners?.countTurn({ chatId, owner });
    return {
      worker,
      begin: (started) =>
        void this.#work(chatId, { owner, started, uncount }).finally(() => places.giveBack()),
      giveBack: () => {
        uncount?.();
        places.giveBack();
      },
    };
  }

  #takeIdle(owner: string | undefined): boolean {
    const { owners, places } = this.#options;
    return owner !== undefined && owners?.isIdle(owner) === true && places.takeBeyond();
  }

  /**
   * Works in the caller's slot on the announced chat, or on a chat of the owner who is next. That
   * chat's own announcement then works on this chat. Never rejects.
   */
  async run(announced: string): Promise<void> {
    if (this.#shutdown.signal.aborted) return this.#options.wake(announced);
    const chatId = await this.#fairest(announced);
    if (chatId !== announced && !this.#active.has(chatId) && (await this.#work(chatId))) return;
    if (!this.#joins(announced)) await this.#work(announced);
  }

  async #fairest(chatId: string): Promise<string> {
    // If the database is unreachable, the following acquisition fails and reports it.
    return this.#ports.machine.fairestChat(chatId).catch(() => chatId);
  }

  /**
   * Releases the turns to other workers, each after its last commit. Waits for them, but not for a
   * tool that never ends.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#options.places.close();
    for (const timer of this.#timers) clearTimeout(timer);
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

  /** Resolves with true if the chat was acquired. */
  #work(chatId: string, given: GivenTurn = {}): Promise<boolean> {
    const { owner } = given;
    const end = given.uncount ?? this.#options.owners?.countTurn({ chatId, owner });
    const work = this.#runTurn(chatId, given).finally(() => {
      end?.();
      this.#active.delete(chatId);
      if (this.#again.delete(chatId)) this.#options.wake(chatId, owner);
    });
    this.#active.set(chatId, work);
    return work;
  }

  /** Returns true if the chat was woken before the time of its retry. Other processes cannot acquire it. */
  isEarly(chatId: string): boolean {
    return this.#early.has(chatId);
  }

  #wakeEarly({ chatId, owner }: WaitingChat): void {
    if (this.#shutdown.signal.aborted) return;
    this.#early.add(chatId);
    this.#options.wake(chatId, owner);
  }

  /** Wakes a chat when its retry is due. Long waits are left to the sweep. */
  #wakeLater({ chatId, owner }: WaitingChat, delayMs: number): void {
    if (delayMs > LONGEST_TIMER_MS || this.#shutdown.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#options.wake(chatId, owner);
    }, delayMs);
    this.#timers.add(timer);
  }

  async #acquire(chatId: string): Promise<StartedTurn> {
    const isEarly = this.#early.delete(chatId);
    return this.#ports.machine.acquire({ chatId, worker: this.#options.worker, isEarly });
  }

  /**
   * After an unexpected failure, a sweep finds the chat again once its lease has expired. This is
   * the retry delay.
   */
  async #runTurn(chatId: string, { owner, started }: GivenTurn): Promise<boolean> {
    const { places, owners } = this.#options;
    try {
      const turn = started ?? (await this.#acquire(chatId));
      const ports: TurnPorts = {
        ...this.#ports,
        whileWaiting: stepAside(places, () => owner !== undefined && owners?.isAlone(owner) === true),
        wakeLater: (waiting, delayMs) => this.#wakeLater({ chatId: waiting, owner }, delayMs),
        wakeEarly: (waiting) => this.#wakeEarly({ chatId: waiting, owner }),
      };
      await runTurn(ports, turn, this.#shutdown.signal);
      return true;
    } catch (cause) {
      // Another worker has the chat, or there is no work.
      if (ChatStateError.isInstance(cause)) return false;
      this.#ports.onEvent?.({
        level: 'error',
        message: 'A turn stopped because of a server error. It will be resumed.',
        chatId,
        cause,
      });
      return false;
    }
  }
}
