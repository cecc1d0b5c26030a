/** One model call with its observer: metrics and logs learn the outcome, never the content. */
import { NO_USAGE, type Usage } from '@truecast/core/internal/errors/base/usage';
import type { FinishReason } from '../contract/rows.ts';
import type { StepReply, StepRequest } from './step-request.ts';
import { streamStep } from './stream-step.ts';

/** A call that ended. */
export interface ObservedCall {
  /** The server's name of the model. */
  readonly model: string;
  readonly outcome: FinishReason | 'failed';
  readonly usage: Usage;
  readonly durationMs: number;
  /** Why it failed. */
  readonly error?: unknown;
  /** The chat that made it. Absent for a call of `/v1`. */
  readonly chatId?: string;
}

/** Observes calls. It must not throw. */
export type OnModelCall = (call: ObservedCall) => void;

/** Calls the model once, as `streamStep`. */
export async function observedStep(
  request: StepRequest,
  onCall: OnModelCall | undefined,
  chatId?: string,
): Promise<StepReply> {
  const startedMs = performance.now();
  const facts = { model: request.model.id, ...(chatId !== undefined && { chatId }) };
  try {
    const reply = await streamStep(request);
    const { finishReason: outcome, usage, durationMs } = reply;
    onCall?.({ ...facts, outcome, usage, durationMs });
    return reply;
  } catch (error) {
    const durationMs = performance.now() - startedMs;
    onCall?.({ ...facts, outcome: 'failed', usage: NO_USAGE, durationMs, error });
    throw error;
  }
}
