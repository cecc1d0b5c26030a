/**
 * Chats that wait in this process for a worker slot. Owners take turns, and the chats of one owner
 * keep their order.
 */
import { RecentOwners } from '../../state/rows/recent-owners.ts';

/** A chat with work. Chats whose owner is unknown count as those of one owner. */
export interface WaitingChat {
  readonly chatId: string;
  readonly owner: string | undefined;
}

/** After this time, a chat in the queue probably runs in another process. */
const HANDED_OUT_MS = 60_000;

/** The waiting chats of a process, and the number of its turns per owner. */
export class WaitingChats {
  /** Per owner, the chats and the times of their arrival. */
  readonly #byOwner = new Map<string | undefined, Map<string, number>>();
  readonly #running = new Map<string, number>();
  /** Chats of known owners that were written to the queue, with the time of that. */
  readonly #handedOut = new Map<string, { readonly owner: string; readonly atMs: number }>();
  readonly #recent = new RecentOwners();

  has(chatId: string): boolean {
    return this.#byOwner.values().some((chats) => chats.has(chatId));
  }

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add({ chatId, owner }: WaitingChat): void {
    const chats = this.#byOwner.get(owner) ?? new Map<string, number>();
    if (!chats.has(chatId)) this.#byOwner.set(owner, chats.set(chatId, performance.now()));
  }

  /** Returns the longest waiting chat of the owner with the fewest turns. */
  next(): WaitingChat | undefined {
    const [first, ...others] = this.#byOwner.keys();
    const owner = others.reduce((best, other) => (this.#isBefore(other, best) ? other : best), first);
    const [chatId] = this.#byOwner.get(owner)?.keys() ?? [];
    return chatId === undefined ? undefined : { chatId, owner };
  }

  delete({ chatId, owner }: WaitingChat): void {
    const chats = this.#byOwner.get(owner);
    chats?.delete(chatId);
    if (chats?.size === 0) this.#byOwner.delete(owner);
  }

  /**
   * Removes the chats that arrived before this time, and returns them in the order of arrival.
   *
   * @param isOwn - true for a chat that no other process can take
   */
  takeArrivedBefore(timeMs: number, isOwn: (chatId: string) => boolean = () => false): WaitingChat[] {
    const arrived = [...this.#byOwner].flatMap(([owner, chats]) =>
      [...chats].map(([chatId, atMs]) => ({ chatId, owner, atMs })),
    );
    const early = arrived
      .filter(({ chatId, atMs }) => atMs < timeMs && !isOwn(chatId))
      .toSorted((a, b) => a.atMs - b.atMs);
    const nowMs = performance.now();
    for (const [chatId, { atMs }] of this.#handedOut)
      if (atMs < nowMs - HANDED_OUT_MS) this.#handedOut.delete(chatId);
    for (const chat of early) {
      this.delete(chat);
      if (chat.owner !== undefined) this.#handedOut.set(chat.chatId, { owner: chat.owner, atMs: nowMs });
    }
    return early;
  }

  /**
   * Returns true if no chat of the owner runs, waits or is in the queue, as far as this process knows.
   */
  isIdle(owner: string): boolean {
    if (this.#running.has(owner) || this.#byOwner.has(owner)) return false;
    return !this.#handedOut.values().some((handed) => handed.owner === owner);
  }

  /** Returns true if the owner has one turn here. */
  isAlone(owner: string): boolean {
    return this.#turnsOf(owner) === 1;
  }

  /** Counts a turn that starts. Call the returned function when it has ended. */
  countTurn({ chatId, owner: given }: WaitingChat): () => void {
    const owner = given ?? this.#handedOut.get(chatId)?.owner;
    this.#handedOut.delete(chatId);
    if (owner === undefined) return () => undefined;
    this.#recent.add(owner);
    this.#running.set(owner, this.#turnsOf(owner) + 1);
    return () => {
      const left = this.#turnsOf(owner) - 1;
      if (left > 0) this.#running.set(owner, left);
      else this.#running.delete(owner);
    };
  }

  /** Among owners with equally many turns, the one whose last turn started longest ago is first. */
  #isBefore(one: string | undefined, other: string | undefined): boolean {
    const difference = this.#turnsOf(one) - this.#turnsOf(other);
    if (difference !== 0) return difference < 0;
    return this.#recent.lastStart(one ?? '') < this.#recent.lastStart(other ?? '');
  }

  #turnsOf(owner: string | undefined): number {
    return owner === undefined ? 0 : (this.#running.get(owner) ?? 0);
  }
}
