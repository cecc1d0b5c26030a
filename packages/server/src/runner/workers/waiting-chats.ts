/**
 * Chats that wait in this process for a worker slot, in the order of their arrival, and its turns by
 * owner. Both are hints: the rows decide which chat is next.
 */

interface Wait {
  /** Undefined if a sweep found the chat. */
  readonly owner: string | undefined;
  readonly sinceMs: number;
  queueAtMs: number;
  patienceMs: number;
}

/**
 * Milliseconds before a chat is queued again, because a process that took its job can have stalled.
 * Doubles each time. A chat that a sweep found probably has a job.
 */
const PATIENCE_MS = 4_000;

/** The waiting chats of a process, and the number of its turns per owner. */
export class WaitingChats {
  readonly #waits = new Map<string, Wait>();
  readonly #running = new Map<string, number>();

  /** The chat that waits longest. Undefined without one. */
  get first(): string | undefined {
    return this.#waits.keys().next().value;
  }

  /** Adds a chat, which is due for the queue at once, unless a sweep found it. */
  add(chatId: string, owner: string | undefined, isFound: boolean): void {
    if (this.#waits.has(chatId)) return;
    const sinceMs = performance.now();
    const queueAtMs = isFound ? sinceMs + PATIENCE_MS : sinceMs;
    this.#waits.set(chatId, { owner, sinceMs, queueAtMs, patienceMs: PATIENCE_MS });
  }

  /** Removes a chat. Returns its owner, if it is known. */
  delete(chatId: string): string | undefined {
    const owner = this.#waits.get(chatId)?.owner;
    this.#waits.delete(chatId);
    return owner;
  }

  /** Removes the chats that had arrived before this time and are not among `ids`. */
  keepOnly(ids: ReadonlySet<string>, beforeMs: number): void {
    for (const [chatId, { sinceMs }] of this.#waits) {
      if (sinceMs < beforeMs && !ids.has(chatId)) this.#waits.delete(chatId);
    }
  }

  /** @yields the chats that are due for the queue, each once until it is due again */
  *due(): Generator<string> {
    // A chat that arrives while others are queued waits as long as they did.
    const nowMs = performance.now();
    for (const [chatId, wait] of this.#waits) {
      if (nowMs < wait.queueAtMs) continue;
      wait.queueAtMs = nowMs + wait.patienceMs;
      wait.patienceMs *= 2;
      yield chatId;
    }
  }

  /** Returns true if no chat of the owner runs or waits, as far as this process knows. */
  isIdle(owner: string): boolean {
    return !this.#running.has(owner) && !this.#waits.values().some((wait) => wait.owner === owner);
  }

  /** Returns true if the owner has one turn here. */
  isAlone(owner: string): boolean {
    return this.#running.get(owner) === 1;
  }

  /** Counts a turn that starts. Call the returned function when it has ended. */
  countTurn(owner: string | undefined): () => void {
    if (owner === undefined) return () => undefined;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    return () => {
      const left = (this.#running.get(owner) ?? 0) - 1;
      if (left > 0) this.#running.set(owner, left);
      else this.#running.delete(owner);
    };
  }
}
