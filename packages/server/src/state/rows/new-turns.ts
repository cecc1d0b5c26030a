/**
 * Turns of new chats that wait for a slot of this process, so that the worker that acquires one need
 * not read the rows that this process has just written.
 */

/** Maximum number of kept turns. Workers read the rows of other chats. */
const MOST_TURNS = 128;

interface ChatVersion {
  readonly id: string;
  readonly version: number;
}

/** The latest new turns without a worker. */
export class NewTurns<TTurn> {
  readonly #turns = new Map<string, { readonly version: number; readonly build: () => TTurn }>();

  /** Keeps the turn of a committed chat. It is built when it is taken. */
  keep({ id, version }: ChatVersion, build: () => TTurn): void {
    this.#turns.set(id, { version, build });
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > MOST_TURNS && oldest !== undefined) this.#turns.delete(oldest);
  }

  /** Removes and returns the turn. Undefined if the chat has changed since: every change has a version. */
  take({ id, version }: ChatVersion): TTurn | undefined {
    const kept = this.#turns.get(id);
    this.#turns.delete(id);
    return kept?.version === version ? kept.build() : undefined;
  }
}
