/** Reproducible random numbers. Pure. */

export interface SeededRandom {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns one of `items`. */
  pick<TItem>(items: readonly TItem[]): TItem | undefined;
}

/** Creates a seeded generator (xorshift). Good enough to vary inputs, for nothing else. */
export function seededRandom(seed: number): SeededRandom {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return { next, pick: (items) => items[Math.floor(next() * items.length)] };
}
