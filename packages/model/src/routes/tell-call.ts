/**
 * Call reporting: passes each request to the caller, and keeps the usage and text of failed ones.
 */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { priceUsage } from '@truecast/core/internal/errors/base/prices';
import { NO_USAGE, type Usage } from '@truecast/core/internal/errors/base/usage';
import { toModelError } from '../call/ask-patiently.ts';
import type { Conversation, RoutedReply } from './conversation.ts';
import type { GenerateRoute } from '../call/generate-options.ts';
import { isWithheld } from '../call/model-reply.ts';
import { refusalOf } from './route-support.ts';

/** Reports an answered request and its result. Rejects with errors of the caller's `onCall`. */
export async function tellAnswered(
  { options }: Conversation,
  { reply, durationMs }: RoutedReply,
  code: string,
): Promise<void> {
  const usage = priceUsage(reply.usage, options.prices);
  const { reasoningText } = reply;
  await options.onCall?.({
    model: reply.modelId,
    usage,
    durationMs,
    code,
    ...(reasoningText !== '' && { reasoning: reasoningText }),
    ...(isWithheld(reply) && { isWithheld: true as const }),
  });
}

/** A request that failed. */
export interface FailedRequest {
  readonly error: unknown;
  readonly route: GenerateRoute;
  readonly durationMs: number;
}

/**
 * Keeps the usage and text of a failed request, and reports it. A request that was never sent does
 * not count.
 */
export async function tellFailed(
  conversation: Conversation,
  { error, route, durationMs }: FailedRequest,
): Promise<void> {
  const { options, usages } = conversation;
  const code = options.signal?.aborted === true ? 'aborted' : codeOf(error, route);
  if (code === undefined) return;
  const usage: Usage | undefined = ModelError.isInstance(error) ? error.usage : undefined;
  if (usage !== undefined) usages.push(usage);
  if (ModelError.isInstance(error)) conversation.received = error.receivedText ?? conversation.received;
  await options.onCall?.({
    model: options.model.modelId,
    usage: priceUsage(usage ?? NO_USAGE, options.prices),
    durationMs,
    code,
  });
}

function codeOf(error: unknown, route: GenerateRoute): string | undefined {
  if (refusalOf(error, route) !== undefined) return 'unsupported';
  const told = toModelError(error);
  return ModelError.isInstance(told) ? told.code : undefined;
}
