/** Table of listeners by key, so that a change calls only those of its row. */

export class ListenerTable<T> {
  readonly #byKey = new Map<string, Set<(value?: T) => void>>();

  /** Number of keys with a listener. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Adds a listener and returns the function that removes it. */
  add(key: string, listener: (value?: T) => void): () => void {
    // Wrapped, so that one function can listen twice.
    const entry = (value?: T): void => listener(value);
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  tell(key: string, value: T | undefined): void {
    this.#byKey.get(key)?.forEach((listener) => listener(value));
  }

  tellAll(): void {
    for (const listeners of Array.from(this.#byKey.values())) listeners.forEach((listener) => listener());
  }
}
