/**
 * Bounded fetch: limits the decompressed bytes of a response, and follows no redirect to another
 * origin, so that neither a key nor a prompt reaches a server that the caller did not name. For every
 * service: models, MCP servers, probes. It goes through the proxy of the environment.
 */
import { proxiedFetch } from '@truecast/host/internal/proxy/proxied-fetch';

/** Limits of a kind of service, and their errors. */
export interface FetchBounds {
  /** Of a response other than an event stream. */
  readonly maxBytes: number;
  /** Of one event of an event stream. */
  readonly maxEventBytes: number;
  /** Of a whole event stream. @default unlimited, for streams without an end */
  readonly maxStreamBytes?: number;
  /** The rest of a longer refusal is not read, so that its status is still reported. @default maxBytes */
  readonly maxRefusalBytes?: number;
  /** Time of a POST request with its response. @default unlimited */
  readonly maxPostMs?: number;
  tooLarge(maxBytes: number): Error;
  redirected(redirect: Redirect): Error;
}

export interface Redirect {
  readonly statusCode: number;
  /** Origins, because a path can contain a secret. */
  readonly from: string;
  readonly to: string;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These repeat the request. The others change a POST to a GET, which no service of ours answers. */
const REPEATED: ReadonlySet<number> = new Set([307, 308]);
const MAX_HOPS = 5;
const MAX_STATUS = 599;
const BAD_GATEWAY = 502;
/** Header values are Latin-1 without control characters. */
const NOT_IN_HEADER = /[^\t\u0020-\u007E\u0080-\u00FF]/gu;

export function createBoundedFetch(bounds: FetchBounds): typeof fetch {
  const send = createOriginFetch(bounds);
  return async (input, init) => limitBody(await send(input, init), bounds);
}

/** As `createBoundedFetch()`, for a reader that itself bounds what it reads, or calls `limitBody()`. */
export function createOriginFetch(bounds: FetchBounds): typeof fetch {
  const { maxPostMs } = bounds;
  return async (input, given) => {
    const init = given ?? {};
    const isLimited = maxPostMs !== undefined && init.method === 'POST';
    const signals = [init.signal, isLimited ? AbortSignal.timeout(maxPostMs) : undefined];
    const known = signals.filter((each) => each instanceof AbortSignal);
    const signal = known.length > 1 ? AbortSignal.any(known) : known[0];
    return fetchInOrigin(input, { ...init, ...(signal !== undefined && { signal }) }, bounds);
  };
}

async function fetchInOrigin(
  input: string | URL | Request,
  init: RequestInit,
  bounds: FetchBounds,
): Promise<Response> {
  let target: string | URL | Request = input;
  for (let hop = 0; ; hop += 1) {
    const response = await proxiedFetch(target, { ...init, redirect: 'manual' });
    const from = new URL(target instanceof Request ? target.url : target);
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    const isSame = to !== undefined && to.origin === from.origin;
    const isRepeatable = REPEATED.has(response.status) || (init.method ?? 'GET') === 'GET';
    if (
      !isSame ||
      !isRepeatable ||
      target instanceof Request ||
      init.body instanceof ReadableStream ||
      hop >= MAX_HOPS
    ) {
      throw bounds.redirected({
        statusCode: response.status,
        from: from.origin,
        to: originOf(to),
      });
    }
    target = to;
  }
}

/** `file:` and other addresses without a server have no origin. */
function originOf(url: URL | undefined): string {
  if (url === undefined) return 'no address';
  return url.origin === 'null' ? url.protocol : url.origin;
}

/** Returns the response with a body that ends at its limit. */
export function limitBody(response: Response, bounds: FetchBounds): Response {
  if (response.body === null) return response;
  const limit = response.ok ? failingAbove(isEventStream(response), bounds) : cutAbove(bounds);
  return withBody(response, response.body.pipeThrough(limit));
}

/** Returns the response with another body. A server can send values that the constructor refuses. */
export function withBody(
  { status, statusText, headers }: Response,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | string,
  mask: (text: string) => string = (text) => text,
): Response {
  const told = mask(statusText).replaceAll(NOT_IN_HEADER, '?');
  const masked = [...headers].map(([name, value]): [string, string] => [
    name,
    mask(value).replaceAll(NOT_IN_HEADER, '?'),
  ]);
  return new Response(body, {
    status: status > MAX_STATUS ? BAD_GATEWAY : status,
    statusText: told,
    headers: masked,
  });
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

type ByteStream = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

/** An error of the stream also ends the connection. */
function failingAbove(
  hasEvents: boolean,
  { maxBytes, maxEventBytes, maxStreamBytes = Infinity, tooLarge }: FetchBounds,
): ByteStream {
  const eventBytes = bytesSinceEvent();
  const max = hasEvents ? maxStreamBytes : maxBytes;
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > max) controller.error(tooLarge(max));
      else if (hasEvents && eventBytes(chunk) > maxEventBytes) controller.error(tooLarge(maxEventBytes));
      else controller.enqueue(chunk);
    },
  });
}

function cutAbove({ maxBytes, maxRefusalBytes = maxBytes }: FetchBounds): ByteStream {
  let left = maxRefusalBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.length > left ? chunk.slice(0, left) : chunk);
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

/** An empty line ends an event. Its line breaks can be in two chunks. */
function bytesSinceEvent(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let last = Buffer.alloc(0);
  return (chunk) => {
    const joined = Buffer.concat([last, chunk]);
    const end = Math.max(...['\n\n', '\r\r', '\n\r\n'].map((lines) => joined.lastIndexOf(lines)));
    bytes = end === -1 ? bytes + chunk.length : joined.length - end;
    last = Buffer.from(joined.subarray(-2));
    return bytes;
  };
}
