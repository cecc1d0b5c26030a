/**
 * Single-flight probe: of concurrent calls one tries an unknown route, the others wait for its
 * result.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerateModel, GenerateRoute } from '../call/generate-options.ts';
import { isProven } from './route-support.ts';

/**
 * A rejection arrives before the first token. After this wait a call continues, because the other
 * is receiving an answer.
 */
const MAX_WAIT_MS = 2_000;

const probes = new WeakMap<GenerateModel, Map<GenerateRoute, Promise<unknown>>>();

/** One call's attempt at a route. */
export interface RouteAttempt<TResult> {
  readonly model: GenerateModel;
  readonly route: GenerateRoute;
  readonly signal: AbortSignal | undefined;
  run(): Promise<TResult>;
}

/**
 * Runs an attempt, after a running probe if the route's support is unknown. Rejects as `run` does,
 * or with the signal's reason.
 */
export async function probeRoute<TResult>(attempt: RouteAttempt<TResult>): Promise<TResult> {
  const { model, route, signal } = attempt;
  const underWay = probes.get(model) ?? new Map<GenerateRoute, Promise<unknown>>();
  probes.set(model, underWay);
  const probe = isProven(model, route) ? undefined : underWay.get(route);
  if (probe !== undefined) await waitFor(probe, signal);
  const result = attempt.run();
  const forget = (): void => void underWay.delete(route);
  underWay.set(route, result.then(forget, forget));
  return result;
}

async function waitFor(probe: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const ended = new AbortController();
  const signals = signal === undefined ? [ended.signal] : [ended.signal, signal];
  const patience = sleep(MAX_WAIT_MS, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  await Promise.race([probe, patience]);
  ended.abort();
  signal?.throwIfAborted();
}
