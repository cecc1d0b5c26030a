/** Event feed: the server, with the streams of one chat and of one run replaced by many events of a fast model. */
import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { newLink, type ConsoleServer } from './console-fixture.ts';

/** Id of the chat with many events. */
export const FED_CHAT = '11111111-1111-4111-8111-111111111111';

/** Id of the run with many events. */
export const FED_RUN = '22222222-2222-4222-8222-222222222222';

/** Options of the feed. */
export interface FeedOptions {
  readonly server: ConsoleServer;
  readonly events: number;
  /** Time of the whole stream. */
  readonly durationMs: number;
}

const AT = '2026-11-23T12:00:00.000Z';
const TICK_MS = 5;
const SCHEMA = {
  type: 'object',
  properties: { lines: { type: 'array', items: { type: 'string' } } },
};
const FORMAT = {
  type: 'response_format',
  request_id: 'fed',
  name: 'report',
  schema_text: JSON.stringify(SCHEMA),
  limits: { text_only: 3, max_repairs: 3 },
};
const QUESTION = {
  id: 1,
  chat_id: FED_CHAT,
  role: 'user',
  content: [{ type: 'text', text: 'Write a long report.' }, FORMAT],
  is_compressed: false,
  created_at: AT,
};

const CHAT = {
  id: FED_CHAT,
  title: 'Write a long report.',
  status: 'running',
  model: 'scripted:demo',
  plan_mode: false,
  tools: [],
  settings: {},
  queue_length: 0,
  request_id: 'fed',
  version: 1,
  turn_version: 1,
  created_at: AT,
  updated_at: AT,
};

const RUN = {
  id: FED_RUN,
  status: 'running',
  phase: 'working',
  repository: 'web',
  agent: 'claude-code',
  branch: `truecast/runs/${FED_RUN}`,
  priority: 0,
  executions: 1,
  prompt_preview: 'Write a long report.',
  prompt: 'Write a long report.',
  response_format: { type: 'json_schema', json_schema: { name: 'report', schema: SCHEMA } },
  tag: 'result',
  limits: {},
  execution_history: [],
  artifacts: [],
  version: 1,
  created_at: AT,
  started_at: AT,
};

/** Starts the feed. Everything but the chat, the run and their streams is answered by the server. */
export async function startEventFeed(options: FeedOptions): Promise<ConsoleServer> {
  const { server } = options;
  const feed = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith(`/api/chats/${FED_CHAT}/stream`)) {
      void writeEvents(response, options, chatEvents(options.events));
      return;
    }
    if (path.startsWith(`/api/runs/${FED_RUN}/stream`)) {
      void writeEvents(response, options, runEvents(options.events));
      return;
    }
    if (path === `/api/runs/${FED_RUN}`) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(RUN));
      return;
    }
    if (path === `/api/chats/${FED_CHAT}`) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(CHAT));
      return;
    }
    const { method = 'GET' } = request;
    const { authorization = '', accept = '', cookie = '' } = request.headers;
    const headers = { authorization, accept, cookie, 'content-type': 'application/json' };
    const sent = method === 'GET' ? {} : { body: Readable.toWeb(request), duplex: 'half' as const };
    void fetch(`${server.url}${path}`, { method, headers, ...sent }).then(
      ({ status, headers: returned, body }) => {
        const kept = [...returned].filter(
          ([name]) => !/^(?:content-(?:encoding|length)|transfer-encoding)$/u.test(name),
        );
        response.writeHead(status, Object.fromEntries(kept));
        if (body === null) response.end();
        else Readable.fromWeb(body).pipe(response);
      },
    );
  });
  await new Promise<void>((resolve) => {
    feed.listen(0, '127.0.0.1', resolve);
  });
  const address = feed.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    token: server.token,
    newLink: () => newLink(url, server.token),
    [Symbol.asyncDispose]: async () => {
      feed.closeAllConnections();
      await new Promise((resolve) => feed.close(resolve));
    },
  };
}

type FedEvent = Readonly<Record<string, unknown>>;

/** Events before the pieces, and a function that returns the next piece. */
interface Fed {
  readonly first: readonly FedEvent[];
  readonly next: (index: number) => FedEvent;
  /** True if each event has an id. */
  readonly hasIds: boolean;
}

function chatEvents(events: number): Fed {
  let offset = 0;
  return {
    first: [
      { type: 'message', message: QUESTION },
      { type: 'status', status: 'running', version: 1, request_id: 'fed' },
    ],
    hasIds: false,
    next: (index) => {
      const delta = deltaOf(index, events);
      const name = index === 0 ? { tool_call_id: 'call', tool_name: 'submit_structured_output' } : {};
      const part = { type: 'part', kind: 'tool_call', delta, request_id: 'fed', offset, ...name };
      offset += delta.length;
      return part;
    },
  };
}

function runEvents(events: number): Fed {
  return {
    first: [{ type: 'status', status: 'running', phase: 'working', at: AT }],
    hasIds: true,
    // The tag replaces the envelope of a call.
    next: (index) => ({
      type: 'text',
      text: deltaOf(index, events).replace('{"output":', '<result>').replace(']}}', ']}</result>'),
      at: AT,
    }),
  };
}

async function writeEvents(
  response: ServerResponse,
  { events, durationMs }: FeedOptions,
  { first, next, hasIds }: Fed,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let id = 0;
  const send = (event: FedEvent, hasId: boolean): void => {
    id += 1;
    response.write(
      `event: ${String(event['type'])}\n${hasId ? `id: ${id}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    );
  };
  for (const event of first) send(event, true);
  const startedMs = performance.now();
  let sent = 0;
  while (sent < events && !response.destroyed) {
    const due = Math.min(events, Math.ceil((events * (performance.now() - startedMs)) / durationMs));
    for (; sent < due; sent += 1) send(next(sent), hasIds);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
}

/** Pieces of one answer: a list with a new line of text every 50 events. */
function deltaOf(index: number, events: number): string {
  if (index === 0) return '{"output":{"lines":["';
  if (index === events - 1) return 'the end"]}}';
  return index % 50 === 0 ? '","' : `word${index} `;
}
