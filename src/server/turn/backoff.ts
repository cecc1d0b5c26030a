/** Owns how long to wait before a failed call of a model is made again. Pure. */

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Calls for one step, the first one included. */
export const MAX_CALLS_PER_STEP = 25;

/**
 * Returns the delay before the next call, in milliseconds: doubled with each failure up to a minute, of which half is left to chance, so that many
 * clients do not come back together. What the provider asks for is never cut short.
 *
 * @param failures - failed calls of this step so far, 1 or more
 * @param random - from 0 up to 1
 */
export function backoffMs(failures: number, random: number, askedMs: number | undefined): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1));
  return Math.max(Math.round(longest / 2 + (longest / 2) * random), askedMs ?? 0);
}
