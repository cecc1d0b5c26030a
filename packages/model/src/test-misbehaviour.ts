/** Test server that sends raw Chat Completions replies, for misbehaviour that no SDK would build. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';

/** Sends one reply. `name` is the offered tool's, if one is offered. */
export type Respond = (response: ServerResponse, name: string | undefined) => void;

/** The correct answer to every request. */
export const RIGHT = '{"moons":2,"planet":"Mars"}';

export interface RawServer extends AsyncDisposable {
  readonly url: string;
  /** Number of requests so far. */
  readonly requests: () => number;
}

/** Starts a server that sends `replies` in order, and then the last one. */
export async function rawServer(replies: readonly Respond[]): Promise<RawServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      const respond = replies[Math.min(requests, replies.length - 1)];
      requests += 1;
      respond?.(response, toolIn(Buffer.concat(pieces).toString()));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new UsageError('The test server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toolIn(text: string): string | undefined {
  const parsed = parseJson(text);
  const body = parsed.success ? parsed.value : undefined;
  const tools = isRecord(body) && Array.isArray(body['tools']) ? body['tools'] : [];
  const [tool] = tools.filter(isRecord);
  const made = tool?.['function'];
  return isRecord(made) ? String(made['name']) : undefined;
}

/** Answers correctly, by the mode of the request. */
export const right: Respond = (response, name) => {
  if (name === undefined) text(RIGHT)(response, name);
  else callsTool(name, `{"output":${RIGHT}}`)(response, name);
};

/** Streams a text, cut into pieces. */
export function text(content: string, reason = 'stop', pieceChars = 64_000): Respond {
  const pieces: object[] = [];
  for (let at = 0; at < content.length; at += pieceChars) {
    pieces.push({ content: content.slice(at, at + pieceChars) });
  }
  return stream([...pieces.map((delta) => choice(delta)), choice({}, reason)]);
}

/** Streams one call of a tool, with its arguments as text. */
export function callsTool(name: string, input: string, said?: string): Respond {
  const call = { index: 0, id: 'c1', type: 'function', function: { name, arguments: input } };
  const words = said === undefined ? [] : [choice({ content: said })];
  return stream([...words, choice({ tool_calls: [call] }), choice({}, 'tool_calls')]);
}

/** One chunk of a stream. */
export function choice(delta: object, reason: string | null = null): object {
  return {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: reason }],
  };
}

/** Streams chunks, and the end mark. */
export function stream(chunks: readonly object[]): Respond {
  return bytes([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']);
}

/** Sends pieces of an event stream unchanged. */
export function bytes(pieces: readonly (string | Uint8Array)[]): Respond {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
}

/** Sends pieces, then drops the connection. */
export function dropped(pieces: readonly string[]): Respond {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(piece);
    setImmediate(() => response.destroy());
  };
}

/** Sends a status with a body. If the client retries, it does so at once. */
export function status(code: number, body: string, type = 'application/json'): Respond {
  return (response) => {
    response.writeHead(code, { 'content-type': type, 'retry-after': '0' }).end(body);
  };
}
