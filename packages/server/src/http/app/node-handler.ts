/** Node listener of a fetch handler, for servers of `node:http`, Express and Connect. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { problemResponse } from '../problem-response.ts';
import type { FetchHandler } from './mounted-handler.ts';

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the listener. The global `Request` and `Response` of the app are not replaced. */
export function nodeHandler(fetch: FetchHandler): NodeHandler {
  const listen = getRequestListener(fetch, { overrideGlobalObjects: false });
  const refuse = getRequestListener(() => problemResponse(bodyRead(), randomUUID()), {
    overrideGlobalObjects: false,
  });
  return (request, response) => {
    const answer = isBodyRead(request) ? refuse : listen;
    // It answers failures itself. The rest is a connection that is gone.
    answer(request, response).catch(() => response.destroy());
  };
}

/** True if a parser of the app has read the body. It would seem to be empty. */
function isBodyRead(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  return request.readableDidRead && !('rawBody' in request) && (coding !== undefined || length !== '0');
}

function bodyRead(): RequestRefusedError {
  return new RequestRefusedError(
    'The body was read before this server got the request, for example by `express.json()`. Mount the server before it.',
    { code: 'invalid-body' },
  );
}
