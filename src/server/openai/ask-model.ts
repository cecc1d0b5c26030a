/** Owns one step of an answer: a call of the model, made again a few times where its service fails for a moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepReply, StepRequest } from '../models/step-request.ts';
import { streamStep } from '../models/stream-step.ts';
import { backoffMs } from '../turn/backoff.ts';
import { readModelFailure, type ReadFailure } from './model-failure.ts';

/** Calls for one step; the caller waits on an open connection, and asks again itself later. */
const MAX_CALLS = 3;
/** A service that asks for more is not waited for. */
const LONGEST_WAIT_MS = 10_000;

/** What a step came to. */
export type AskedModel =
  | { readonly type: 'replied'; readonly reply: StepReply }
  | { readonly type: 'failed'; readonly read: ReadFailure };

/** Asks once, and again after a pause while nothing of the answer was told to the caller. */
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
