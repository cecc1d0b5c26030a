/**
 * One model call with its slot, its price and its observer: metrics and logs receive the outcome,
 * never the content.
 */
import { priceUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { RowFinish } from '../contract/rows.ts';
import type { WorkOrigin } from '../contract/observed-work.ts';
import { callSpan, providerName, replyAttributes } from '@truecast/model/internal/modes/call-span';
import { passTrace, type Trace } from '@truecast/model/internal/telemetry/tracing';
import type { WaitCause } from '../pacing/fair-waiters.ts';
import type { CallWait } from '../pacing/model-pacing.ts';
import type { OwnerPlaces } from '../pacing/owner-places.ts';
import type { StepReply, StepRequest } from './step-request.ts';
import { streamStep } from './stream-step.ts';

export interface ObservedCall {
  /** The server's name of the model. */
  readonly model: string;
  /** Name of the provider. Absent for a coding agent. */
  readonly provider?: string;
  /** The model that answered, as its service names it. Absent after a failure. */
  readonly responseModel?: string;
  readonly outcome: RowFinish | 'failed';
  /** Includes the cost, if the model has prices. Undefined if the service reported none. */
  readonly usage: Usage | undefined;
  /** Time of the call alone, without `waitedMs`. */
  readonly durationMs: number;
  /** Wait before the call, and its reason. Absent if it did not wait. */
  readonly waitedMs?: number;
  readonly waitedFor?: WaitCause | 'concurrency' | 'process';
  /** Why it failed. */
  readonly error?: unknown;
  readonly origin: WorkOrigin;
}

/** Observes calls. It must not throw. */
export type OnModelCall = (call: ObservedCall) => void;

export interface CallObserver {
  readonly onCall?: OnModelCall | undefined;
  readonly origin: WorkOrigin;
  /** @default creates no spans */
  readonly trace?: Trace | undefined;
  /** The wait for the model before the call. @default none */
  readonly wait?: CallWait | undefined;
  /** Places of processes, for coding agents. @default unlimited */
  readonly processes?: OwnerPlaces | undefined;
  /** Releases the turn's slot while it waits for a place. @default keeps it */
  readonly whileWaiting?: ((wait: () => Promise<void>, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Calls the model once, as `streamStep`, when it has a free slot. Prices the usage. */
export async function observedStep(
  request: StepRequest,
  { onCall, origin, trace = passTrace, wait, whileWaiting = (work) => work() }: CallObserver,
): Promise<StepReply> {
  const { places, prices, id } = request.model;
  const arrivedMs = performance.now();
  const isFull = places?.take(origin.ownerId) === false;
  if (isFull) await whileWaiting(() => places.wait(origin.ownerId, request.signal), request.signal);
  const startedMs = performance.now();
  const called = { modelId: id, provider: request.model.model.provider };
  const waited = isFull ? { waitedMs: startedMs - arrivedMs, waitedFor: 'concurrency' as const } : wait;
  const facts = { model: id, provider: providerName(called), origin, ...waited };
  try {
    const unpriced = await trace(callSpan(called, origin), async (span) => {
      const replied = await streamStep(request);
      span.set(replyAttributes(replied));
      return replied;
    });
    const usage = priceUsage(unpriced.usage, prices);
    const reply = { ...unpriced, usage, ...waited };
    const { finishReason: outcome, durationMs, modelId: responseModel } = reply;
    onCall?.({ ...facts, responseModel, outcome, usage, durationMs });
    return reply;
  } catch (error) {
    const durationMs = performance.now() - startedMs;
    onCall?.({ ...facts, outcome: 'failed', usage: undefined, durationMs, error });
    throw error;
  } finally {
    places?.giveBack(origin.ownerId);
  }
}
