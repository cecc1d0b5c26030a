/**
 * One model call with its slot, its price and its observer: metrics and logs receive the outcome,
 * never the content.
 */
import { priceUsage } from '@truecast/core/internal/errors/base/prices';
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type { FinishReason } from '../contract/rows.ts';
import type { WorkOrigin } from '../contract/work-origin.ts';
import { callSpan, providerName, replyAttributes } from '@truecast/model/internal/routes/answer-span';
import { passTrace, type Trace } from '@truecast/model/internal/telemetry/tracing';
import type { StepReply, StepRequest } from './step-request.ts';
import { streamStep } from './stream-step.ts';

/** A call that ended. */
export interface ObservedCall {
  /** The server's name of the model. */
  readonly model: string;
  /** Name of the provider. Absent for a coding agent. */
  readonly provider?: string;
  /** The model that answered, as its service names it. Absent after a failure. */
  readonly responseModel?: string;
  readonly outcome: FinishReason | 'failed';
  /** Includes the cost, if the model has prices. Undefined if the service reported none. */
  readonly usage: Usage | undefined;
  readonly durationMs: number;
  /** Why it failed. */
  readonly error?: unknown;
  readonly origin: WorkOrigin;
}

/** Observes calls. It must not throw. */
export type OnModelCall = (call: ObservedCall) => void;

/** Caller of a model. */
export interface CallObserver {
  readonly onCall?: OnModelCall | undefined;
  readonly origin: WorkOrigin;
  /** @default creates no spans */
  readonly trace?: Trace | undefined;
  /** Releases the turn's slot while it waits for a slot of the model. @default keeps it */
  readonly whileWaiting?: ((wait: () => Promise<void>, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Calls the model once, as `streamStep`, when it has a free slot. Prices the usage. */
export async function observedStep(
  request: StepRequest,
  { onCall, origin, trace = passTrace, whileWaiting = (wait) => wait() }: CallObserver,
): Promise<StepReply> {
  const { places, prices, id } = request.model;
  if (places !== undefined && places.take(1) === 0)
    await whileWaiting(() => places.comeBack(request.signal), request.signal);
  const startedMs = performance.now();
  const called = { modelId: id, provider: request.model.model.provider };
  const facts = { model: id, provider: providerName(called), origin };
  try {
    const unpriced = await trace(callSpan(called, origin), async (span) => {
      const replied = await streamStep(request);
      span.set(replyAttributes(replied));
      return replied;
    });
    const usage = priceUsage(unpriced.usage, prices);
    const reply = { ...unpriced, usage };
    const { finishReason: outcome, durationMs, modelId: responseModel } = reply;
    onCall?.({ ...facts, responseModel, outcome, usage, durationMs });
    return reply;
  } catch (error) {
    const durationMs = performance.now() - startedMs;
    onCall?.({ ...facts, outcome: 'failed', usage: undefined, durationMs, error });
    throw error;
  } finally {
    places?.giveBack();
  }
}
