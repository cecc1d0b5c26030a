/** Waits of a turn between model calls. They are recorded in the chat's row and hold no slot. */
import { MECHANISM_OF, type WayMechanism } from '@truecast/model/internal/ladder/choose-way';
import type { ChatError } from '../state/rows/chat-records.ts';
import { backoffMs, loadingDelayMs, MAX_CALLS_PER_STEP } from '../turn/backoff.ts';
import { failAsked } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { StepResult, TurnRun } from './turn-run.ts';

/** Chats that wait for the same circuit resume at random times within this period. */
const SPREAD_MS = 60_000;

/** A failed call that is repeated. */
export interface FailedTry {
  readonly error: ChatError;
  readonly askedMs: number | undefined;
  /** True if the service is loading its model. Its circuit then stays closed. @default false */
  readonly isLoading?: boolean;
}

/** Releases the chat until the failed call is repeated. Ends the turn after the last try. */
export async function retryLater(
  run: TurnRun,
  turn: LoadedTurn,
  { error, askedMs, isLoading = false }: FailedTry,
): Promise<StepResult> {
  const { random = Math.random, circuits } = run.ports;
  const failures = turn.chat.attempt + 1;
  if (isLoading) {
    const { loadingTimeoutMs } = run.prepared.model;
    return release(run, turn, {
      error,
      delayMs: loadingDelayMs(failures, loadingTimeoutMs),
      isDeferred: false,
    });
  }
  const circuitMs = circuits?.waitMs(run.prepared.model.id) ?? 0;
  const ownMs = backoffMs(failures, random(), askedMs);
  // A call before the circuit's next probe would only be deferred again.
  const delayMs = circuitMs > ownMs ? circuitMs + random() * SPREAD_MS : ownMs;
  return release(run, turn, { error, delayMs, isDeferred: false });
}

/** Releases the chat if the model's circuit allows no call. Undefined if the call is allowed. */
export async function deferIfOpen(run: TurnRun, turn: LoadedTurn): Promise<StepResult | undefined> {
  const { random = Math.random, circuits } = run.ports;
  const waitMs = circuits?.admit(run.prepared.model.id) ?? 0;
  if (waitMs === 0) return undefined;
  return release(run, turn, { error: UNAVAILABLE, delayMs: waitMs + random() * SPREAD_MS, isDeferred: true });
}

const UNAVAILABLE: ChatError = {
  kind: 'overloaded',
  message:
    "The model's service failed several times in a row, so it is probed once a minute. The call is repeated when it answers. Wait, or choose another model.",
  isRetryable: true,
};

interface Wait {
  readonly error: ChatError;
  readonly delayMs: number;
  readonly isDeferred: boolean;
}

async function release(
  run: TurnRun,
  turn: LoadedTurn,
  { error, delayMs, isDeferred }: Wait,
): Promise<StepResult> {
  const { machine, backoffFactor = 1, wakeLater } = run.ports;
  const attempt = turn.chat.attempt + 1;
  if (attempt >= MAX_CALLS_PER_STEP) {
    await failAsked(run, turn, error);
    return 'ended';
  }
  const scaledMs = Math.round(delayMs * backoffFactor);
  const { isTooLong, prepared, chosenModel } = run;
  // The chat's model is tried first, and mechanisms that a fallback rejected do not apply to it.
  const refused = prepared.model.id === chosenModel.id ? run.climb.refused : [];
  const refusedMechanisms = [...new Set(refused.map((step): WayMechanism => MECHANISM_OF[step]))];
  await machine.recordRetry(run.fence, {
    attempt,
    delayMs: scaledMs,
    error,
    ...(isDeferred && { isDeferred }),
    ...(refusedMechanisms.length > 0 && { refusedMechanisms }),
    ...(isTooLong && { isTooLong }),
  });
  wakeLater?.(run.fence.chatId, scaledMs);
  return 'retrying';
}
