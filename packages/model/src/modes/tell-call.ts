/**
 * Call reporting: passes each request to the caller, and keeps the usage and text of failed ones.
 */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { priceUsage } from '@truecast/core/internal/kit/usage';
import { toModelError } from '../failure/to-model-error.ts';
import type { Conversation, ModeReply } from './conversation.ts';
import { isWithheld } from '../call/model-reply.ts';
import { isKnownRefusal } from '../ladder/read-refusal.ts';
import type { LadderStep } from '../ladder/ladder.ts';

/** Reports an answered request and its result. Rejects with errors of the caller's `onCall`. */
export async function tellAnswered(
  { options }: Conversation,
  { reply, durationMs }: ModeReply,
  code: string,
): Promise<void> {
  const usage = priceUsage(reply.usage, options.prices);
  const { reasoningText } = reply;
  await options.onCall?.({
    model: reply.modelId,
    ...(usage !== undefined && { usage }),
    durationMs,
    code,
    ...(reasoningText !== '' && { reasoning: reasoningText }),
    ...(isWithheld(reply) && { isWithheld: true as const }),
  });
}

export interface FailedRequest {
  readonly error: unknown;
  readonly step: LadderStep;
  readonly durationMs: number;
}

/**
 * Keeps the usage and text of a failed request, and reports it. A request that was never sent does
 * not count.
 */
export async function tellFailed(
  conversation: Conversation,
  { error, step, durationMs }: FailedRequest,
): Promise<void> {
  const { options, usages } = conversation;
  const code = options.signal?.aborted === true ? 'aborted' : codeOf(error, step);
  if (code === undefined) return;
  const unpriced = ModelError.isInstance(error) ? error.usage : undefined;
  if (unpriced !== undefined) usages.push(unpriced);
  const usage = priceUsage(unpriced, options.prices);
  if (ModelError.isInstance(error)) conversation.received = error.receivedText ?? conversation.received;
  await options.onCall?.({
    model: options.model.modelId,
    ...(usage !== undefined && { usage }),
    durationMs,
    code,
  });
}

function codeOf(error: unknown, step: LadderStep): string | undefined {
  if (isKnownRefusal(error, step)) return 'unsupported';
  const told = toModelError(error);
  return ModelError.isInstance(told) ? told.code : undefined;
}
