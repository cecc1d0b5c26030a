/** Counting proxy of an engine: calls, written tokens and cut replies, the same for each library. */
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';
import { parseJson } from '../../packages/core/src/json/parse-json.ts';

/** Counted work since the last `take()`. */
export interface CountedWork {
  /** Requests for a reply. */
  readonly calls: number;
  /** Tokens that the engine wrote. */
  readonly tokens: number;
  /** Replies that ended at their token limit. */
  readonly cut: number;
  /** Requests that the engine refused. */
  readonly refused: number;
}

/** A running proxy. */
export interface CountingProxy extends AsyncDisposable {
  /** Base URL, with `/v1`. */
  readonly url: string;
  /** Returns the counted work, and starts again at zero. */
  take(): CountedWork;
}

const NOTHING: CountedWork = { calls: 0, tokens: 0, cut: 0, refused: 0 };

/** Starts a proxy of the engine at `url`, which ends in `/v1`. */
export async function countingProxy(url: string): Promise<CountingProxy> {
  const origin = url.replace(/\/v1\/?$/u, '');
  let work = NOTHING;
  const add = (more: Partial<CountedWork>): void => {
    const { calls = 0, tokens = 0, cut = 0, refused = 0 } = more;
    work = {
      calls: work.calls + calls,
      tokens: work.tokens + tokens,
      cut: work.cut + cut,
      refused: work.refused + refused,
    };
  };
  const server = createServer((request, response) => forward(request, response, { origin, add }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A listening TCP server has one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    take: () => {
      const taken = work;
      work = NOTHING;
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Forwarding {
  readonly origin: string;
  add(work: Partial<CountedWork>): void;
}

function forward(request: IncomingMessage, response: ServerResponse, { origin, add }: Forwarding): void {
  const isCall = request.url?.endsWith('/chat/completions') === true;
  const { host: _host, ...headers } = request.headers;
  // An engine ends kept connections, and a request on one of these would count as a call.
  const upstream = send(`${origin}${request.url ?? '/'}`, { method: request.method, headers, agent: false });
  let text = '';
  let isCounted = false;
  const count = (status: number): void => {
    if (!isCall || isCounted) return;
    isCounted = true;
    add({ calls: 1, ...(status === 200 ? countReply(text) : { refused: 1 }) });
  };
  upstream.on('response', (reply) => {
    const status = reply.statusCode ?? 502;
    response.writeHead(status, reply.headers);
    reply.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    reply.pipe(response);
    // The client's next request must find this one counted.
    reply.on('end', () => count(status)).on('close', () => count(status));
  });
  upstream.on('error', () => {
    count(502);
    response.destroy();
  });
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

/** Counts a reply: its usage, or its pieces if the client ended the stream before. */
function countReply(text: string): Pick<CountedWork, 'tokens' | 'cut'> {
  // A long prompt is preceded by comments that keep the connection open.
  const bodies = /^data:/mu.test(text)
    ? text.split('\n').flatMap((line) => bodyOf(line.replace(/^data: ?/u, '')))
    : bodyOf(text);
  const used = bodies.map(tokensOf).findLast((tokens) => tokens !== undefined);
  const reasons = bodies.flatMap((body) => choicesOf(body).map((choice) => choice['finish_reason']));
  const pieces = bodies.filter((body) => choicesOf(body).some((choice) => isRecord(choice['delta'])));
  return { tokens: used ?? pieces.length, cut: reasons.includes('length') ? 1 : 0 };
}

function bodyOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  const parsed = parseJson(text.trim());
  return parsed.success && isRecord(parsed.value) ? [parsed.value] : [];
}

function choicesOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(body['choices']) ? body['choices'].filter(isRecord) : [];
}

/** llama.cpp reports timings at the end of each reply, whether usage was requested or not. */
function tokensOf({ usage, timings }: Readonly<Record<string, unknown>>): number | undefined {
  const counted = isRecord(usage) ? usage['completion_tokens'] : undefined;
  if (typeof counted === 'number') return counted;
  const written = isRecord(timings) ? timings['predicted_n'] : undefined;
  return typeof written === 'number' ? written : undefined;
}
