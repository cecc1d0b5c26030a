/** Store of a live turn: folds events at once, and notifies React once per frame. */
import { useSyncExternalStore } from 'react';

/** Holds one value. */
export class FrameStore<T> {
  readonly #listeners = new Set<() => void>();
  #shown: T;
  #latest: T;
  #frame: number | undefined;

  constructor(value: T) {
    this.#shown = value;
    this.#latest = value;
  }

  readonly get = (): T => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Changes the value. A hidden tab has no frames. It continues to fold events, and renders when it
   * is visible.
   */
  change(fold: (value: T) => T): void {
    this.#latest = fold(this.#latest);
    if (this.#frame !== undefined) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#shown = this.#latest;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** Subscribes a component. */
export function useFrameStore<T>(store: FrameStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
