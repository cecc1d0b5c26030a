/** Owns the OpenAI wire within the server: the same tokens and bounds as its other routes, and refusals in the wire's own shape. */
import { RequestRefusedError } from '../../errors/request-refused-error.ts';
import { openAIRoutes } from '../openai/openai-routes.ts';
import type { OpenAIPorts } from '../openai/openai-ports.ts';
import { sendFailure } from '../openai/send-answer.ts';
import { authenticate } from './access-token.ts';
import type { ServerParts } from './server-parts.ts';
import type { TokenMeter } from './token-limits.ts';

/** Answers a request of the wire. */
export type OpenAIHandler = (request: Request) => Promise<Response>;

/** Makes the handler of everything below `/v1`. */
export function openAIHandler(parts: ServerParts, meter: TokenMeter, ports: OpenAIPorts): OpenAIHandler {
  const routes = openAIRoutes(ports);
  return async (request) => {
    let leave: () => void;
    try {
      const token = await authenticate(parts.store, request.headers.get('authorization'));
      leave = meter.enter(token.id, 'requests');
    } catch (error) {
      if (!RequestRefusedError.isInstance(error)) throw error;
      return refusal(error);
    }
    try {
      return leaveWhenRead(await routes.fetch(request), leave);
    } catch (error) {
      leave();
      throw error;
    }
  };
}

function refusal({ code, message, retryAfterSeconds }: RequestRefusedError): Response {
  if (code === 'unauthorized') {
    return sendFailure({ status: 401, type: 'authentication_error', code: 'invalid_api_key', message });
  }
  return sendFailure({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** A stream is open until its end was read, or its reader has left. */
function leaveWhenRead(response: Response, leave: () => void): Response {
  const source: ReadableStream<Uint8Array> | null = response.body;
  const reader = source?.getReader();
  if (reader === undefined) {
    leave();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      leave();
      controller.close();
    },
    async cancel(reason) {
      leave();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}

/** Gives what is under way the time of the server's end but its last moment, in which it is told. */
export function signalAtEnd(closing: AbortSignal, graceMs: number): AbortSignal {
  const ending = new AbortController();
  const lastMs = Math.min(1_000, graceMs / 2);
  closing.addEventListener('abort', () => {
    setTimeout(() => ending.abort(), graceMs - lastMs).unref();
  });
  return ending.signal;
}
