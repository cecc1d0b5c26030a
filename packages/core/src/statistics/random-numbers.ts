/** Pseudo-random numbers with a seed, for reproducible orders and resampling. Not for secrets. Pure. */

/** Returns numbers from 0 up to 1. Mulberry32: 32 bits of state, enough for samples of thousands. */
export type RandomNumbers = () => number;

export function randomNumbers(seed: number): RandomNumbers {
  let state = Math.trunc(seed) | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the values in a random order. */
export function shuffled<TValue>(values: readonly TValue[], random: RandomNumbers): TValue[] {
  const keyed = values.map((value) => ({ value, rank: random() }));
  return keyed.toSorted((one, other) => one.rank - other.rank).map(({ value }) => value);
}
