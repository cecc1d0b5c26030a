/** Frame store: takes each change immediately, and notifies its readers at most once per frame. */
// Browsers and React Native have it. The types of the DOM are not loaded in this package.
declare function requestAnimationFrame(callback: () => void): number;

/** Holds one value. Its shape is the one that `useSyncExternalStore` reads. */
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
