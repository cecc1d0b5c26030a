/** One step of an answer: a model call, retried a few times after transient failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkOrigin } from '../../contract/work-origin.ts';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import type { ModelCircuits } from '../../models/model-circuits.ts';
import type { StepReply, StepRequest } from '../../models/step-request.ts';
import { modelsOfService } from '@truecast/model/internal/call/known-models';
import { refusalIn } from '@truecast/model/internal/failure/refusal';
import { whileLoading } from '@truecast/model/internal/failure/while-loading';
import { observedStep, type OnModelCall } from '../../models/observed-step.ts';
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import { backoffMs, MAX_ASKED_MS } from '../../turn/backoff.ts';
import { isSuspectSize } from '../../turn/prompt-size.ts';
import type { WireFailure } from '../wire/wire-failure.ts';
import {
  circuitOpen,
  finalFailure,
  readModelFailure,
  type ReadFailure,
  type StepFailure,
} from './model-failure.ts';

/** Maximum calls per step. The caller waits on an open connection, and can retry later itself. */
const MAX_CALLS = 3;
/** Maximum `retry-after`. Longer delays are not waited for. */
const LONGEST_WAIT_MS = 10_000;

/** Circuits and observer of calls. */
export interface CallWatch {
  /** @default none */
  readonly circuits?: ModelCircuits;
  /** @default creates no spans */
  readonly trace?: Trace;
  /** @default unknown */
  readonly origin?: WorkOrigin;
  /** Called with each call that ended. */
  readonly onModelCall?: OnModelCall;
  /** Called before each call. A returned failure ends the answer. @default admits every call */
  readonly admitCall?: () => Promise<WireFailure | undefined>;
}

/** Result of a step. */
export type AskedModel =
  | { readonly type: 'replied'; readonly reply: StepReply }
  | { readonly type: 'failed'; readonly read: ReadFailure };

/**
 * Sends a call, and retries after a delay while the caller has received nothing. Fails at once
 * while the model's circuit is open, and if the call is not admitted.
 *
 * @param way - how the answer is asked for, if it has a format
 */
export async function askModel(
  request: StepRequest,
  { circuits, origin = {}, onModelCall, trace, admitCall }: CallWatch,
  way?: Way,
): Promise<AskedModel> {
  const { id } = request.model;
  let hasTold = false;
  const watched: StepRequest = {
    ...request,
    onLivePart(part) {
      hasTold ||= part.type === 'text-delta';
      request.onLivePart?.(part);
    },
  };
  for (let calls = 1; ; calls += 1) {
    const failure = await admitCall?.();
    if (failure !== undefined) return { type: 'failed', read: finalFailure(failure) };
    const waitMs = circuits?.admit(id) ?? 0;
    if (waitMs > 0) return { type: 'failed', read: circuitOpen(waitMs) };
    try {
      const call = async (): Promise<StepReply> =>
        observedStep(watched, { onCall: onModelCall, origin, trace });
      const { signal, model } = request;
      const { loadingTimeoutMs } = model;
      // The log has each call that failed.
      const reply = await whileLoading(call, { loadingTimeoutMs, signal, onLoading: () => undefined });
      if (reply.finishReason !== 'interrupted') circuits?.succeed(id);
      return { type: 'replied', reply };
    } catch (error) {
      const read = await readFailure(request, error, { calls, way });
      if (read.isTransient) circuits?.fail(id, Math.min(read.askedMs ?? 0, MAX_ASKED_MS));
      else if (!request.signal.aborted) circuits?.succeed(id);
      const delayMs = backoffMs(calls, Math.random(), read.askedMs);
      const isLast = calls === MAX_CALLS || delayMs > LONGEST_WAIT_MS;
      const hasShown = hasTold && request.onLivePart !== undefined;
      if (!read.isTransient || isLast || hasShown) return { type: 'failed', read };
      await sleep(delayMs, undefined, { signal: request.signal }).catch(() => undefined);
      if (request.signal.aborted) return { type: 'failed', read };
    }
  }
}

async function readFailure(
  { model: chatModel, messages, tools }: StepRequest,
  error: unknown,
  call: Pick<StepFailure, 'calls' | 'way'>,
): Promise<ReadFailure> {
  const { model, contextTokens } = chatModel;
  const isUnknown = refusalIn(error)?.cause === 'unknown-model';
  const known = isUnknown ? await modelsOfService(model) : undefined;
  return readModelFailure(error, {
    isSuspectSize: isSuspectSize([messages, tools], contextTokens),
    asked: { model: model.modelId, known },
    ...call,
  });
}
