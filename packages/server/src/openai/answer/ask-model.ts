/** One step of an answer: a model call, retried a few times after transient failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepReply, StepRequest } from '../../models/step-request.ts';
import { streamStep } from '../../models/stream-step.ts';
import { backoffMs } from '../../turn/backoff.ts';
import { readModelFailure, type ReadFailure } from './model-failure.ts';

/** Maximum calls per step. The caller waits on an open connection and retries later itself. */
const MAX_CALLS = 3;
/** Maximum `retry-after`. Longer delays are not waited for. */
const LONGEST_WAIT_MS = 10_000;

/** Result of a step. */
export type AskedModel =
  | { readonly type: 'replied'; readonly reply: StepReply }
  | { readonly type: 'failed'; readonly read: ReadFailure };

/** Sends a call, and retries after a delay while the caller has received nothing. */
export async function askModel(request: StepRequest): Promise<AskedModel> {
  let hasTold = false;
  const watched: StepRequest = {
    ...request,
    onLivePart(part) {
      hasTold ||= part.type === 'text-delta';
      request.onLivePart?.(part);
    },
  };
  for (let calls = 1; ; calls += 1) {
    try {
      return { type: 'replied', reply: await streamStep(watched) };
    } catch (error) {
      const read = readModelFailure(error);
      const delayMs = backoffMs(calls, Math.random(), read.askedMs);
      const isLast = calls === MAX_CALLS || delayMs > LONGEST_WAIT_MS;
      const hasShown = hasTold && request.onLivePart !== undefined;
      if (!read.isTransient || isLast || hasShown) return { type: 'failed', read };
      await sleep(delayMs, undefined, { signal: request.signal }).catch(() => undefined);
      if (request.signal.aborted) return { type: 'failed', read };
    }
  }
}
