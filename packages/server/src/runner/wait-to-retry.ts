/** Waits of a turn between model calls. They are recorded in the chat's row and hold no slot. */
import type { WayMode } from '@truecast/model/internal/ladder/choose-way';
import { MODE_OF } from '@truecast/model/internal/ladder/ladder';
import type { WaitCause } from '../pacing/fair-waiters.ts';
import type { StartedWait } from '../pacing/model-pacing.ts';
import type { ChatError } from '../state/rows/chat-records.ts';
import { backoffMs, loadingDelayMs, MAX_CALLS_PER_STEP } from '../turn/backoff.ts';
import { failAsked } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import { pacedCaller, type StepResult, type TurnRun } from './turn-run.ts';

/** Chats that wait for the same model and are not woken resume at random times within this period. */
const SPREAD_MS = 60_000;
/**
 * A chat that its process wakes is left to the sweep after this time only, so that a long wait does not
 * use up its tries.
 */
const HELD_MS = 60_000;

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
  const { random = Math.random, pacing } = run.ports;
  const failures = turn.chat.attempt + 1;
  if (isLoading) {
    const { timeouts } = run.prepared.model;
    return release(run, turn, { error, delayMs: loadingDelayMs(failures, timeouts?.loadingMs) });
  }
  const admission = pacing?.peek(pacedCaller(run));
  // A call before the model accepts one would only be deferred again.
  if (admission?.isAllowed === false) {
    return release(run, turn, { error, delayMs: admission.waitMs, until: admission });
  }
  return release(run, turn, { error, delayMs: backoffMs(failures, random(), askedMs) });
}

/** Releases the chat if the model accepts no call now. Undefined if the call is allowed. */
export async function deferIfPaced(run: TurnRun, turn: LoadedTurn): Promise<StepResult | undefined> {
  const admission = run.ports.pacing?.admit(pacedCaller(run));
  run.wait = admission?.isAllowed === true ? admission.wait : undefined;
  if (admission?.isAllowed !== false) return undefined;
  const { waitMs: delayMs, cause } = admission;
  return release(run, turn, { error: CAUSES[cause], delayMs, until: admission, isDeferred: true });
}

const CAUSES: Readonly<Record<WaitCause, ChatError>> = {
  rate_limit: {
    kind: 'rate_limit',
    message:
      "The model's service limits the request rate. The call is sent when the limit allows it. Wait, or choose another model.",
    isRetryable: true,
  },
  outage: {
    kind: 'overloaded',
    message:
      "Several requests to the model's service failed, so it gets one call at a time. The call is repeated when it answers. Wait, or choose another model.",
    isRetryable: true,
  },
};

interface Wait {
  readonly error: ChatError;
  readonly delayMs: number;
  /** The wait for the model, whose end wakes the chat. Absent if only time must pass. */
  readonly until?: StartedWait;
  readonly isDeferred?: boolean;
}

async function release(
  run: TurnRun,
  turn: LoadedTurn,
  { error, delayMs, until, isDeferred = false }: Wait,
): Promise<StepResult> {
  const { machine, backoffFactor = 1, wakeLater, wakeEarly, pacing, random = Math.random } = run.ports;
  const { chatId } = run.fence;
  const attempt = turn.chat.attempt + 1;
  if (attempt >= MAX_CALLS_PER_STEP) {
    await failAsked(run, turn, error);
    return 'ended';
  }
  const { isTooLong, prepared, chosenModel } = run;
  // The chat's model is tried first, and modes that a fallback rejected do not apply to it.
  const refused = prepared.model.id === chosenModel.id ? run.climb.refused : [];
  const refusedModes = [...new Set(refused.map((step): WayMode => MODE_OF[step]))];
  const laterMs = until === undefined ? 0 : wakeEarly === undefined ? random() * SPREAD_MS : HELD_MS;
  const [scaledMs, heldMs] = [delayMs, laterMs].map((ms) => Math.round(ms * backoffFactor)) as [
    number,
    number,
  ];
  await machine.recordRetry(run.fence, {
    attempt,
    delayMs: scaledMs,
    error,
    ...(heldMs > 0 && { heldMs }),
    ...(isDeferred && { isDeferred }),
    ...(refusedModes.length > 0 && { refusedModes }),
    ...(isTooLong && { isTooLong }),
  });
  if (until === undefined || wakeEarly === undefined || pacing === undefined) {
    wakeLater?.(chatId, scaledMs + heldMs);
  } else pacing.wait(pacedCaller(run), until, () => wakeEarly(chatId));
  return 'retrying';
}
