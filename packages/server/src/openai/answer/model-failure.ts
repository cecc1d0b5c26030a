/**
 * Maps model failures to wire errors. A wrong server-side key or a broken service is marked as not
 * retryable.
 */
import type { RequestedModel } from '@truecast/model/internal/failure/to-model-error';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import { isOfForm } from '../../finalizer/learn-way.ts';
import { classifyFailure } from '../../turn/classify-failure.ts';
import type { FailureKind } from '../../turn/failure-causes.ts';
import { askedMs as readAskedMs, failureFacts } from '../../turn/failure-facts.ts';
import { failureMessage } from '../../turn/failure-message.ts';
import type { Admission } from '../../pacing/model-pacing.ts';
import type { WireFailure } from '../wire/wire-failure.ts';

/** A model failure and its wire error. */
export interface ReadFailure {
  readonly failure: WireFailure;
  /** The same call can succeed a moment later. */
  readonly isTransient: boolean;
  /** The service rejected the request's form, and might accept another mode. */
  readonly isRefusal: boolean;
  /** The error of the SDK, if the call was sent. */
  readonly error: unknown;
  readonly askedMs: number | undefined;
}

/** Known facts about a failed call. */
export interface StepFailure {
  /** The prompt is large enough to be too long. */
  readonly isSuspectSize: boolean;
  readonly asked: RequestedModel;
  /** Calls of this step so far. */
  readonly calls: number;
  /** How the answer was asked for, if it has a format. */
  readonly way?: Way | undefined;
}

/** Classifies an error of the AI SDK or a stream. */
export function readModelFailure(
  error: unknown,
  { isSuspectSize, asked, calls, way }: StepFailure,
): ReadFailure {
  const failure = { ...failureFacts(error), isSuspectSize };
  const { kind, action } = classifyFailure(failure);
  const askedMs = readAskedMs(error, Date.now(), Date.parse);
  const said = error instanceof Error ? error.message : String(error);
  const isRefusal = way !== undefined && failure.statusCode !== undefined && isOfForm(kind, error, way);
  return {
    failure: toWireFailure(kind, failureMessage({ failure, said, asked, calls }), askedMs),
    isTransient: action === 'retry' && !isRefusal,
    isRefusal,
    error,
    askedMs,
  };
}

export const RATE_LIMITED = 'rate_limit_exceeded';

/** Failure of a call that was not sent, because its model accepts none now. */
export function callRefused({
  waitMs,
  cause,
}: Extract<Admission, { readonly isAllowed: false }>): ReadFailure {
  if (cause === 'rate_limit') {
    return finalFailure(
      toWireFailure(
        cause,
        "The model's service limits the request rate. Send the request again after the delay, or choose another model.",
        waitMs,
      ),
    );
  }
  return finalFailure({
    status: 424,
    type: 'model_error',
    code: 'model_unavailable',
    message:
      "Several requests to the model's service failed, so it gets one call at a time. Try again later, or choose another model.",
    retryAfterSeconds: waitMs / 1_000,
  });
}

/** Failure of a call that was not sent, and is not retried. */
export function finalFailure(failure: WireFailure): ReadFailure {
  return { failure, isTransient: false, isRefusal: false, error: undefined, askedMs: undefined };
}

/** Codes of failures that are neither the caller's, nor a limit of the rate. */
const CODES: Readonly<Record<Exclude<FailureKind, 'config' | 'rate_limit' | 'context_full'>, string>> = {
  usage_limit: 'model_quota',
  overloaded: 'model_unavailable',
  timeout: 'model_unavailable',
  connection: 'model_unavailable',
  server: 'model_unavailable',
  auth: 'model_access',
  interrupted: 'interrupted',
};

function toWireFailure(kind: FailureKind, message: string, askedMs: number | undefined): WireFailure {
  switch (kind) {
    case 'rate_limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        code: RATE_LIMITED,
        message,
        ...(askedMs !== undefined && { retryAfterSeconds: askedMs / 1_000 }),
      };
    case 'context_full':
      return { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded', message };
    case 'config':
      return { status: 400, type: 'invalid_request_error', code: 'model_refused_request', message };
    default:
      return { status: kind === 'interrupted' ? 503 : 424, type: 'model_error', code: CODES[kind], message };
  }
}
