/**
 * Maps model failures to wire errors. A wrong server-side key or a broken service is marked as not
 * retryable.
 */
import {
  classifyFailure,
  TOLD_CAUSES,
  type FailureKind,
  type ModelFailure,
} from '../../turn/classify-failure.ts';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import { isOfForm } from '../../finalizer/learn-way.ts';
import { askedMs as readAskedMs, failureFacts } from '../../turn/failure-facts.ts';
import type { WireFailure } from '../wire/wire-failure.ts';

const MAX_TOLD_CHARS = 500;

/** A model failure and its wire error. */
export interface ReadFailure {
  readonly failure: WireFailure;
  /** The same call can succeed a moment later. */
  readonly isTransient: boolean;
  /** The service rejected the request's form, and might accept another mechanism. */
  readonly isRefusal: boolean;
  /** The error of the SDK, if the call was sent. */
  readonly error: unknown;
  readonly askedMs: number | undefined;
}

/**
 * Classifies an error of the AI SDK or a stream.
 *
 * @param isSuspectSize - true if the prompt is large enough to be too long
 * @param way - how the answer was asked for, if it has a format
 */
export function readModelFailure(error: unknown, isSuspectSize: boolean, way?: Way): ReadFailure {
  const facts = { ...failureFacts(error), isSuspectSize };
  const { kind, action } = classifyFailure(facts);
  const askedMs = readAskedMs(error, Date.now(), Date.parse);
  const isRefusal = way !== undefined && facts.statusCode !== undefined && isOfForm(kind, error, way);
  return {
    failure: causeFailure(facts.cause) ?? toWireFailure(kind, error, askedMs),
    isTransient: action === 'retry' && !isRefusal,
    isRefusal,
    error,
    askedMs,
  };
}

/** Failure of a call that the model's circuit did not allow. */
export function circuitOpen(waitMs: number): ReadFailure {
  return finalFailure({
    status: 424,
    type: 'model_error',
    code: 'model_unavailable',
    message:
      "The model's service failed several times in a row, and is probed once a minute. Try again later, or choose another model.",
    retryAfterSeconds: waitMs / 1_000,
  });
}

/** Failure of a call that was not sent, and is not retried. */
export function finalFailure(failure: WireFailure): ReadFailure {
  return { failure, isTransient: false, isRefusal: false, error: undefined, askedMs: undefined };
}

const TOLD: Readonly<
  Record<Exclude<FailureKind, 'config' | 'rate_limit' | 'context_full'>, [string, string]>
> = {
  usage_limit: [
    'model_quota',
    "The account at the model's service has no quota left. Raise its limit, or choose another model.",
  ],
  overloaded: [
    'model_unavailable',
    "The model's service is overloaded. Try again later, or choose another model.",
  ],
  timeout: [
    'model_unavailable',
    "The model's service did not answer in time. Try again later, or choose another model.",
  ],
  connection: [
    'model_unavailable',
    "The model's service cannot be reached. Check its address, or choose another model.",
  ],
  server: ['model_unavailable', "The model's service failed. Try again later, or choose another model."],
  auth: [
    'model_access',
    "The model's service rejected this server's API key. Set another key, or choose another model.",
  ],
  interrupted: [
    'interrupted',
    'The server stopped before the answer was complete. Send the request again once it runs.',
  ],
};

function causeFailure(cause: ModelFailure['cause']): WireFailure | undefined {
  const message = cause === undefined ? undefined : TOLD_CAUSES[cause];
  return message === undefined
    ? undefined
    : { status: 424, type: 'model_error', code: 'model_unavailable', message };
}

function toWireFailure(kind: FailureKind, error: unknown, askedMs: number | undefined): WireFailure {
  switch (kind) {
    case 'rate_limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: "The model's service limits the request rate. Try again later.",
        ...(askedMs !== undefined && { retryAfterSeconds: askedMs / 1_000 }),
      };
    case 'context_full':
      return {
        status: 400,
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message: 'The conversation is too long for the model. Send less of it, or choose another model.',
      };
    case 'config':
      return {
        status: 400,
        type: 'invalid_request_error',
        code: 'model_refused_request',
        message: `The model's service rejected the request: ${saidIn(error)}`,
      };
    default: {
      const [code, message] = TOLD[kind];
      return { status: kind === 'interrupted' ? 503 : 424, type: 'model_error', code, message };
    }
  }
}

function saidIn(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return said.length > MAX_TOLD_CHARS ? `${said.slice(0, MAX_TOLD_CHARS)}…` : said;
}
