/** Exponential backoff between model calls. Pure. */
import { MAX_ASKED_MS } from '../pacing/rate-gate.ts';
import { DEFAULT_LOADING_MS } from '@truecast/model/internal/failure/while-loading';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Maximum number of calls for one step, including the first. */
export const MAX_CALLS_PER_STEP = 25;

/** The first delays are shorter, so that the other ones fill the time. */
const LONG_LOADING_DELAYS = 20;

/** Returns the delay before the next call of a service that is loading its model. */
export function loadingDelayMs(failures: number, loadingMs: number = DEFAULT_LOADING_MS): number {
  const longest = loadingMs / LONG_LOADING_DELAYS;
  return Math.min(longest, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1));
}

/**
 * Returns the delay before the next call in milliseconds. It doubles with each failure up to a
 * minute. Half of it is jitter, so that clients do not retry together. A delay that the provider
 * requests is respected, up to five minutes.
 *
 * @param failures - failed calls of this step so far, 1 or more
 * @param random - from 0 up to 1
 */
export function backoffMs(failures: number, random: number, askedMs: number | undefined): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1));
  const ownMs = Math.round(longest / 2 + (longest / 2) * random);
  return Math.max(ownMs, Math.min(askedMs ?? 0, MAX_ASKED_MS));
}
