/** Wait of a caller that has an open connection: short, and not for an outage. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PacedCaller } from './fair-waiters.ts';
import type { Admission, ModelPacing } from './model-pacing.ts';

export interface CallPatience {
  readonly longestMs: number;
  readonly signal: AbortSignal;
}

/** Allows a call, after a wait for a rate limit if it is short enough. */
export async function waitForCall(
  pacing: ModelPacing,
  caller: PacedCaller,
  { longestMs, signal }: CallPatience,
): Promise<Admission> {
  const admission = pacing.admit(caller);
  const isShort = !admission.isAllowed && admission.cause === 'rate_limit' && admission.waitMs <= longestMs;
  if (!isShort) return admission;
  const { promise: woken, resolve } = Promise.withResolvers<void>();
  const stop = pacing.wait(caller, admission, resolve);
  const late = new AbortController();
  const limits = { signal: AbortSignal.any([signal, late.signal]), ref: false };
  await Promise.race([woken, sleep(longestMs, undefined, limits).catch(() => undefined)]);
  late.abort();
  stop();
  return pacing.admit(caller);
}
