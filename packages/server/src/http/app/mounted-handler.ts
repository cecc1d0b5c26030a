/**
 * Handler of a server without a port: below a path of the caller's app, and with a graceful shutdown of
 * its own, because the app's server stays open.
 */
import { randomUUID } from 'node:crypto';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { leaveWhenRead } from '../leave-when-read.ts';
import { problemResponse } from '../problem-response.ts';
import { setSafeHeaders } from '../safe-headers.ts';

/** Answers a request of the web's `fetch` API. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

export interface MountedHandlerOptions {
  readonly fetch: FetchHandler;
  /** Prefix of each path, without a slash at its end. @default '' */
  readonly basePath?: string | undefined;
  /** Grace period of running requests at shutdown. */
  readonly graceMs: number;
}

export interface MountedHandler {
  fetch(request: Request): Promise<Response>;
  /** Refuses new requests, and waits for running ones. What then still runs is cut. */
  close(): Promise<void>;
}

export function mountedHandler({ fetch, basePath = '', graceMs }: MountedHandlerOptions): MountedHandler {
  const cut = new AbortController();
  const drained = Promise.withResolvers<void>();
  let running = 0;
  let isClosing = false;
  const enter = (): (() => void) => {
    let isLeft = false;
    running += 1;
    return () => {
      if (isLeft) return;
      isLeft = true;
      running -= 1;
      if (isClosing && running === 0) drained.resolve();
    };
  };
  return {
    async fetch(request) {
      if (isClosing) return refuse(closing());
      const inside = basePath === '' ? request : belowBasePath(request, basePath);
      if (inside instanceof RequestRefusedError) return refuse(inside);
      const leave = enter();
      try {
        return leaveWhenRead(await fetch(inside), leave, cut.signal);
      } catch (error) {
        leave();
        throw error;
      }
    },
    async close() {
      isClosing = true;
      if (running === 0) return;
      const timer = setTimeout(drained.resolve, graceMs);
      await drained.promise;
      clearTimeout(timer);
      cut.abort(closing());
    },
  };
}

/** Returns the request without the prefix in its path, or a refusal. */
function belowBasePath(request: Request, basePath: string): Request | RequestRefusedError {
  const url = new URL(request.url);
  const { pathname } = url;
  if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) {
    return new RequestRefusedError(
      `Expected a path below \`${basePath}\`, which is the \`basePath\` of this server. If your app removes the prefix, leave \`basePath\` out.`,
      { code: 'not-found' },
    );
  }
  url.pathname = pathname.slice(basePath.length);
  return new Request(url, request);
}

function closing(): RequestRefusedError {
  return new RequestRefusedError('The server is closing. Send the request again to the next one.', {
    code: 'closing',
    retryAfterSeconds: 1,
  });
}

function refuse(error: RequestRefusedError): Response {
  const response = problemResponse(error, randomUUID());
  setSafeHeaders(response.headers);
  return response;
}
