/**
 * Mounts the OpenAI-compatible API with the server's tokens and limits. Refusals have the wire's
 * format.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { STOPS } from '../agents/stop-reason.ts';
import type { WorkOrigin } from '../contract/observed-work.ts';
import type { ObservedCall } from '../models/observed-step.ts';
import { openAIRoutes } from '../openai/openai-routes.ts';
import type { OpenAIPorts } from '../openai/openai-ports.ts';
import { sendFailure } from '../openai/send-answer.ts';
import { traceOf, type TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import type { WireFailure } from '../openai/wire/wire-failure.ts';
import { assertScope, authenticate } from '../tokens/access-token.ts';
import { authorizationOf } from './session/page-session.ts';
import { leaveWhenRead } from './leave-when-read.ts';
import type { ServerParts } from './server-parts.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Handles a request of the wire. */
export type OpenAIHandler = (request: Request, trace: TraceHeaders) => Promise<Response>;

/** Creates the handler of all paths below `/v1`. */
export function openAIHandler(parts: ServerParts, meter: RateLimiter, ports: OpenAIPorts): OpenAIHandler {
  const origins = new WeakMap<Request, WorkOrigin>();
  const quotas = new CallQuotas(parts);
  const routes = openAIRoutes({
    ...ports,
    originOf: (request) => origins.get(request),
    onModelCall: (call) => {
      ports.onModelCall?.(call);
      quotas.charge(call);
    },
    admitCall: (origin) => quotas.admit(origin),
  });
  return async (request, trace) => {
    let leave: () => void;
    let owner: string;
    try {
      const token = await authenticate(parts, authorizationOf(request.headers));
      assertScope(token, 'chats');
      origins.set(request, { ownerId: token.owner, ...traceOf(trace) });
      ({ owner } = token);
      leave = meter.enter(token.id, 'requests');
    } catch (error) {
      if (!RequestRefusedError.isInstance(error)) throw error;
      return refusal(error);
    }
    try {
      if (request.method === 'POST') await parts.machine.countCall(owner);
      return leaveWhenRead(await routes.fetch(request), leave);
    } catch (error) {
      leave();
      if (ChatStateError.isInstance(error) && error.code === 'quota-exceeded') {
        return sendFailure(quotaSpent(error));
      }
      throw error;
    }
  };
}

/** Quotas for the model calls of a request. */
class CallQuotas {
  readonly #parts: ServerParts;
  /** The last charge of each request. */
  readonly #charges = new WeakMap<WorkOrigin, Promise<void>>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Adds a call to the usage of the owner. */
  charge({ origin, usage }: ObservedCall): void {
    const { machine, onFault } = this.#parts;
    const owner = origin.ownerId;
    if (owner === undefined || usage === undefined || !machine.hasQuota(owner)) return;
    const charged = machine.chargeCall(owner, usage).catch((error: unknown) => onFault(error, 'quota'));
    this.#charges.set(origin, charged);
  }

  /** Returns the failure of a call whose owner has spent a budget. */
  async admit(origin: WorkOrigin): Promise<WireFailure | undefined> {
    const { machine } = this.#parts;
    if (origin.ownerId === undefined || !machine.hasQuota(origin.ownerId)) return undefined;
    await this.#charges.get(origin);
    const spent = await machine.spentBudget(origin.ownerId);
    return spent && quotaSpent(spent);
  }
}

/** Failure for a spent quota, with a code that the wire's clients do not retry. */
function quotaSpent({ message, resetsAt }: Pick<ChatStateError, 'message' | 'resetsAt'>): WireFailure {
  return {
    status: 429,
    type: 'rate_limit_error',
    code: 'insufficient_quota',
    message,
    ...(resetsAt !== undefined && { retryAfterSeconds: (resetsAt - Date.now()) / 1_000 }),
  };
}

function refusal({ code, message, retryAfterSeconds }: RequestRefusedError): Response {
  if (code === 'unauthorized') {
    return sendFailure({ status: 401, type: 'authentication_error', code: 'invalid_api_key', message });
  }
  if (code === 'not-found') {
    return sendFailure({ status: 404, type: 'invalid_request_error', code: 'unknown_url', message });
  }
  if (code === 'identity-unavailable') {
    return sendFailure({ status: 503, type: 'server_error', code: 'internal_error', message });
  }
  return sendFailure({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/**
 * Running answers get the shutdown's grace period, except for its end, which is reserved to send
 * the failure.
 */
export function signalAtEnd(closing: AbortSignal, graceMs: number): AbortSignal {
  const ending = new AbortController();
  const lastMs = Math.min(1_000, graceMs / 2);
  closing.addEventListener('abort', () => {
    setTimeout(() => ending.abort(STOPS.shutdown), graceMs - lastMs).unref();
  });
  return ending.signal;
}
