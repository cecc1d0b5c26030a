/** Stream routes: of a chat, of all changes of an owner, of a durable run, and of a kept one. */
import { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { toZod } from '../../contract/to-zod.ts';
import { ownerStreamEvent } from '@truecast/client/internal/wire/stream/owner-stream';
import { agentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import { runStreamEvent } from '@truecast/client/internal/wire/kept-run';
import { chatStreamEvent } from '@truecast/client/internal/wire/stream-event';
import { authorizationOf } from '../session/page-session.ts';
import { authenticate } from '../../tokens/access-token.ts';
import { chatIdOf, defineRoute, type Call, type HttpRoute } from '../route.ts';
import { openAgentRunStream } from '../stream/agent-run-stream.ts';
import { openChatStream } from '../stream/chat-stream.ts';
import { cursorAt, readCursor, type StreamCursor } from '../stream/cursor.ts';
import { openOwnerStream, readOwnerCursor } from '../stream/owner-stream.ts';
import { noKeptRun, openKeptRunStream } from '../stream/kept-run-stream.ts';
import { isAway, type StreamLife } from '../stream/stream-loop.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A compressor of an app or a proxy would hold events back.
  'cache-control': 'no-store, no-transform',
  // Disables buffering in proxies, which would delay events.
  'x-accel-buffering': 'no',
};

interface StreamQuery {
  readonly after?: string | undefined;
  readonly partials?: 'text' | 'values' | undefined;
  readonly values?: 'once' | 'all' | undefined;
}

const CHAT_STREAM = defineRoute<Record<string, never>, StreamQuery>({
  method: 'get',
  path: '/api/chats/:id/stream',
  operationId: 'streamChat',
  summary:
    'Stream the events of a chat (SSE); `Last-Event-ID` or `after` resumes without lost or repeated events',
  query: z.strictObject({
    after: z.string().optional(),
    partials: z.enum(['text', 'values']).optional(),
    values: z.enum(['once', 'all']).optional(),
  }),
  isStream: true,
  answer: {
    status: 200,
    description: 'Server-sent events, each with one of these as its data',
    schema: toZod(chatStreamEvent),
    mediaType: 'text/event-stream',
  },
  async handle(call) {
    const { parts, owner } = call;
    const chat = await parts.machine.readChat({ owner, chatId: chatIdOf(call) });
    const cursor = cursorOf(call, chat.version);
    const stream = openChatStream(parts, {
      owner,
      chatId: chat.id,
      cursor,
      partials: call.query.partials ?? 'values',
      values: call.query.values ?? 'all',
      ...lifeOf(call),
    });
    return new Response(stream, { headers: HEADERS });
  },
});

const afterQuery = z.strictObject({ after: z.string().optional() });

/** Streams the changes of an owner. */
const OWNER_STREAM = defineRoute<Record<string, never>, z.infer<typeof afterQuery>>({
  method: 'get',
  path: '/api/stream',
  operationId: 'streamChanges',
  summary:
    'Stream the changes of all chats and requests, and with the scopes `runs` and `project` of runs (SSE); `Last-Event-ID` or `after` resumes without lost events',
  query: afterQuery,
  isStream: true,
  answer: {
    status: 200,
    description: 'Server-sent events, each with one of these as its data',
    schema: toZod(ownerStreamEvent),
    mediaType: 'text/event-stream',
  },
  async handle(call) {
    const { parts, owner, token } = call;
    const hasProject = token.scopes.includes('project');
    const text = resumeId(call);
    const since = text === undefined ? undefined : readOwnerCursor(text);
    if (text !== undefined && since === undefined) throw refuseCursor(call);
    const life = lifeOf(call);
    const stream = openOwnerStream(parts, {
      owner,
      hasProject,
      hasRuns: token.scopes.includes('runs'),
      ...(since !== undefined && { since }),
      ...life,
    });
    return new Response(stream, { headers: HEADERS });
  },
});

const KEPT_RUN_STREAM = defineRoute<Record<string, never>, z.infer<typeof afterQuery>>({
  method: 'get',
  path: '/api/kept_runs/:run/stream',
  operationId: 'streamKeptRun',
  summary:
    'Stream the events of a kept run (SSE), until it ends; `Last-Event-ID` or `after` resumes; needs the scope `project`',
  scope: 'project',
  query: afterQuery,
  isStream: true,
  answer: {
    status: 200,
    description: 'Server-sent events, each with one of these as its data',
    schema: toZod(runStreamEvent),
    mediaType: 'text/event-stream',
  },
  async handle(call) {
    const { parts, params } = call;
    const { runs } = parts;
    const id = params['run'] ?? '';
    const text = resumeId(call) ?? '0';
    if (!/^\d{1,15}$/u.test(text)) throw refuseCursor(call);
    const found = await runs?.events(id, { after: 0, limit: 1 });
    if (runs === undefined || found === undefined) throw noKeptRun();
    const stream = openKeptRunStream(parts, runs, { id, after: Number(text), ...lifeOf(call) });
    return new Response(stream, { headers: HEADERS });
  },
});

const AGENT_RUN_STREAM = defineRoute<Record<string, never>, z.infer<typeof afterQuery>>({
  method: 'get',
  path: '/api/runs/:run/stream',
  operationId: 'streamRun',
  summary:
    'Stream the events of a run (SSE), until its receipt; `Last-Event-ID` or `after` resumes without lost or repeated events; needs the scope `runs`',
  scope: 'runs',
  query: afterQuery,
  isStream: true,
  answer: {
    status: 200,
    description: 'Server-sent events, each with one of these as its data',
    schema: toZod(agentRunEvent),
    mediaType: 'text/event-stream',
  },
  async handle(call) {
    const { parts, params, owner } = call;
    const run = await parts.agentRuns.readRun({ owner, runId: params['run'] ?? '' });
    const text = resumeId(call) ?? '0';
    if (!/^\d{1,15}$/u.test(text) || Number(text) > run.eventCount) throw refuseCursor(call);
    const isComplete = run.endedAt !== undefined && Number(text) === run.eventCount;
    const from = { owner, runId: run.id, after: Number(text), isComplete };
    return new Response(openAgentRunStream(parts, { ...from, ...lifeOf(call) }), { headers: HEADERS });
  },
});

/** The routes. Their events are server-sent events, named by type. */
export const STREAM_ROUTES: readonly HttpRoute[] = [
  CHAT_STREAM,
  OWNER_STREAM,
  AGENT_RUN_STREAM,
  KEPT_RUN_STREAM,
];

type StreamCall = Call<unknown, { readonly after?: string | undefined }>;

function lifeOf({ parts, headers, signal, onStreamEnd }: StreamCall): StreamLife {
  const header = authorizationOf(headers);
  return {
    signal,
    isAllowed: () =>
      authenticate(parts, header, { isFresh: true }).then(
        () => true,
        // The database is unreachable: neither the token nor the rows can be read now.
        (error: unknown) => isAway(error),
      ),
    onEnd: onStreamEnd,
  };
}

/** Id of the last event that the client received. */
function resumeId({ headers, query }: StreamCall): string | undefined {
  const text = headers.get('last-event-id') ?? query.after;
  return text === '' ? undefined : text;
}

function refuseCursor({ headers }: StreamCall): RequestRefusedError {
  const field = headers.has('last-event-id') ? 'Last-Event-ID' : 'after';
  const detail = 'Is not an event id of this stream. Leave it out to start a new stream.';
  return new RequestRefusedError(`\`${field}\`: ${detail}`, {
    code: 'invalid-parameter',
    problems: [{ field, detail }],
  });
}

function cursorOf(call: Call<unknown, StreamQuery>, version: number): StreamCursor {
  const text = resumeId(call);
  if (text === undefined) return cursorAt(0);
  const cursor = readCursor(text);
  if (cursor !== undefined && cursor.base <= version && cursor.position.revision <= version) return cursor;
  throw refuseCursor(call);
}
