/** Stream route of a chat. */
import { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { chatStreamEventSchema } from '../../contract/wire/stream-wire.ts';
import { authenticate } from '../access-token.ts';
import { chatIdOf, defineRoute, type Call, type HttpRoute } from '../route.ts';
import { isAway, openChatStream } from '../stream/chat-stream.ts';
import { cursorAt, readCursor, type StreamCursor } from '../stream/cursor.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Disables buffering in proxies, which would delay events.
  'x-accel-buffering': 'no',
};

interface StreamQuery {
  readonly after?: string | undefined;
  readonly partials?: 'text' | 'values' | undefined;
  readonly values?: 'once' | 'all' | undefined;
}

/** The route. Its events are server-sent events, named by type. */
export const STREAM_ROUTE: HttpRoute = defineRoute<Record<string, never>, StreamQuery>({
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
    schema: chatStreamEventSchema,
    mediaType: 'text/event-stream',
  },
  async handle(call) {
    const { parts, owner } = call;
    const chat = await parts.machine.readChat({ owner, chatId: chatIdOf(call) });
    const cursor = cursorOf(call, chat.version);
    const header = call.headers.get('authorization');
    const stream = openChatStream(parts, {
      owner,
      chatId: chat.id,
      cursor,
      partials: call.query.partials ?? 'values',
      values: call.query.values ?? 'all',
      signal: call.signal,
      isAllowed: () =>
        authenticate(parts, header, { isFresh: true }).then(
          () => true,
          // The token cannot be checked now, and the rows cannot be read either.
          (error: unknown) => isAway(error),
        ),
      onEnd: call.onStreamEnd,
    });
    return new Response(stream, { headers: HEADERS });
  },
});

function cursorOf({ headers, query }: Call<unknown, StreamQuery>, version: number): StreamCursor {
  const text = headers.get('last-event-id') ?? query.after;
  if (text === undefined || text === '') return cursorAt(0);
  const cursor = readCursor(text);
  if (cursor !== undefined && cursor.base <= version && cursor.position.revision <= version) return cursor;
  const field = headers.has('last-event-id') ? 'Last-Event-ID' : 'after';
  const detail = 'Is not an event id of this stream. Leave it out to start a new stream.';
  throw new RequestRefusedError(`\`${field}\`: ${detail}`, {
    code: 'invalid-parameter',
    problems: [{ field, detail }],
  });
}
