/** One step of an answer: a model call, retried a few times after transient failures. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkOrigin } from '../../contract/observed-work.ts';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import type { StepReply, StepRequest } from '../../models/step-request.ts';
import { modelsOfService } from '@truecast/model/internal/call/known-models';
import { refusalIn } from '@truecast/model/internal/failure/refusal';
import { whileLoading } from '@truecast/model/internal/failure/while-loading';
import { observedStep, type OnModelCall } from '../../models/observed-step.ts';
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { PacedCaller } from '../../pacing/fair-waiters.ts';
import type { ModelPacing } from '../../pacing/model-pacing.ts';
import type { OwnerPlaces } from '../../pacing/owner-places.ts';
import { waitForCall } from '../../pacing/wait-for-call.ts';
import { backoffMs } from '../../turn/backoff.ts';
import { isSuspectSize } from '../../turn/prompt-size.ts';
import type { WireFailure } from '../wire/wire-failure.ts';
import {
  callRefused,
  finalFailure,
  RATE_LIMITED,
  readModelFailure,
  type ReadFailure,
  type StepFailure,
} from './model-failure.ts';

/** Maximum calls per step. The caller waits on an open connection, and can retry later itself. */
const MAX_CALLS = 3;
/** Longest wait before one call. Longer ones are left to the caller. */
const LONGEST_WAIT_MS = 10_000;

/** Pacing and observer of calls. */
export interface CallWatch {
  /** @default none */
  readonly pacing?: ModelPacing;
  /** Places of processes, for coding agents. @default unlimited */
  readonly processes?: OwnerPlaces;
  /** @default creates no spans */
  readonly trace?: Trace;
  /** @default unknown */
  readonly origin?: WorkOrigin;
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
 * while the model's circuit is open, before a long rate limit, and if the call is not admitted.
 *
 * @param way - how the answer is asked for, if it has a format
 */
export async function askModel(
  request: StepRequest,
  { pacing, origin = {}, onModelCall, trace, admitCall }: CallWatch,
  way?: Way,
): Promise<AskedModel> {
  const caller = { model: request.model.id, owner: origin.ownerId, request: randomUUID() };
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
    const patience = { longestMs: LONGEST_WAIT_MS, signal: request.signal };
    const admission = pacing && (await waitForCall(pacing, caller, patience));
    if (admission?.isAllowed === false) return { type: 'failed', read: callRefused(admission) };
    try {
      const call = async (): Promise<StepReply> =>
        observedStep(watched, { onCall: onModelCall, origin, trace, wait: admission?.wait });
      const { signal, model } = request;
      // The log has each call that failed.
      const reply = await whileLoading(call, { ...model.timeouts, signal, onLoading: () => undefined });
      if (reply.finishReason !== 'interrupted') pacing?.succeed(caller);
      return { type: 'replied', reply };
    } catch (error) {
      const read = await readFailure(request, error, { calls, way });
      if (!request.signal.aborted) noteFailure(pacing, caller, read);
      const isLimited = read.failure.code === RATE_LIMITED && pacing !== undefined;
      const delayMs = isLimited ? (read.askedMs ?? 0) : backoffMs(calls, Math.random(), read.askedMs);
      const isLast = calls === MAX_CALLS || delayMs > LONGEST_WAIT_MS;
      const hasShown = hasTold && request.onLivePart !== undefined;
      if (!read.isTransient || isLast || hasShown) return { type: 'failed', read };
      // The rate limit itself is waited for before the next call.
      if (isLimited) continue;
      await sleep(delayMs, undefined, { signal: request.signal }).catch(() => undefined);
      if (request.signal.aborted) return { type: 'failed', read };
    }
  }
}

function noteFailure(pacing: ModelPacing | undefined, caller: PacedCaller, read: ReadFailure): void {
  if (read.failure.code === RATE_LIMITED) pacing?.limit(caller, read.askedMs);
  else if (read.isTransient) pacing?.fail(caller, read.askedMs);
  else pacing?.succeed(caller);
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
