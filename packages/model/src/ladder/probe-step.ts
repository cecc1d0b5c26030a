/**
 * Single-flight probe: of concurrent calls one tries an unproven step, the others wait for its
 * result.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import type { LadderStep } from './ladder.ts';

/**
 * A rejection arrives before the first token. After this wait a call continues, because the other
 * is receiving an answer.
 */
const MAX_WAIT_MS = 2_000;

const probes = new WeakMap<Engine, Map<LadderStep, Promise<unknown>>>();

/** One call's attempt at a step. */
export interface StepAttempt<TResult> {
  readonly engine: Engine;
  readonly step: LadderStep;
  readonly signal: AbortSignal | undefined;
  run(): Promise<TResult>;
}

/**
 * Runs an attempt, after a running probe if the step is not proven. Rejects as `run` does, or with
 * the signal's reason.
 */
export async function probeStep<TResult>(attempt: StepAttempt<TResult>): Promise<TResult> {
  const { engine, step, signal } = attempt;
  const underWay = probes.get(engine) ?? new Map<LadderStep, Promise<unknown>>();
  probes.set(engine, underWay);
  const probe = engine.standing.proven.has(step) ? undefined : underWay.get(step);
  if (probe !== undefined) await waitFor(probe, signal);
  const result = attempt.run();
  const forget = (): void => void underWay.delete(step);
  underWay.set(step, result.then(forget, forget));
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
