/** Tests of traces: one trace from a request to its calls, on any worker, without content. */
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { tool } from '../../packages/server/src/tools/own-tool.ts';

const PLANTED = 'kumquat';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;
const STATE = 'vendor=1';
const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const response_format = { type: 'json_schema', json_schema: { name: PLANTED, schema } };

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
afterAll(() => {
  trace.disable();
});
beforeEach(() => exporter.reset());

const members = z.record(z.string(), z.unknown());
const createdSchema = z.object({ chat: z.object({ id: z.string() }), request_id: z.string().optional() });

/** A server, its log, and a client that sends a `traceparent`. */
interface Traced extends AsyncDisposable {
  readonly log: Record<string, unknown>[];
  readonly model: ScriptedModelServer;
  ask(path: string, body?: object, traceparent?: string): Promise<unknown>;
}

async function traced(script: Parameters<typeof scriptedModelServer>[0]['script']): Promise<Traced> {
  const model = await scriptedModelServer({ script });
  const log: Record<string, unknown>[] = [];
  const works = tool({
    description: 'Works.',
    inputSchema: z.object({ word: z.string() }),
    execute: () => PLANTED,
  });
  const server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
    tools: { works },
    onLog: (line) => log.push(members.parse(JSON.parse(line))),
  });
  const { token } = await server.createToken({ name: 'test', owner: 'anna' });
  const authorization = `Bearer ${token}`;
  return {
    log,
    model,
    ask: async (path, body, traceparent = TRACEPARENT) => {
      const headers = { authorization, 'content-type': 'application/json', traceparent, tracestate: STATE };
      const sent =
        body === undefined
          ? { headers: { authorization } }
          : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${server.url}${path}`, sent)).json();
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await model.close();
    },
  };
}

/** Spans of the caller's trace, by name. The order is that of their ends. */
function spansOfCaller(): ReadonlyMap<string, ReadableSpan> {
  const own = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === TRACE);
  return new Map(own.map((span) => [span.name, span]));
}

function parentOf(name: string): string | undefined {
  const id = spansOfCaller().get(name)?.parentSpanContext?.spanId;
  return [...spansOfCaller().values()].find((span) => span.spanContext().spanId === id)?.name ?? id;
}

describe('a trace', { timeout: 240_000 }, () => {
  it('leads from the request to the turn, its model calls and its tools', async () => {
    const submit = reply.tool(FINALIZER_NAME, { output: { word: PLANTED } });
    await using server = await traced([reply.tool('works', { word: PLANTED }), submit]);
    const made = createdSchema.parse(await server.ask('/api/chats', { content: PLANTED, response_format }));
    await server.ask(`/api/chats/${made.chat.id}/requests/${made.request_id}?wait=30`);
    await expect.poll(() => spansOfCaller().has('invoke_agent chat')).toBe(true);
    expect(parentOf('POST /api/chats')).toBe(CALLER);
    expect(parentOf('invoke_agent chat')).toBe('POST /api/chats');
    expect(parentOf('chat local:scripted')).toBe('invoke_agent chat');
    expect(parentOf('execute_tool works')).toBe('invoke_agent chat');
    expect(spansOfCaller().get('chat local:scripted')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'local:scripted',
      'gen_ai.response.model': 'scripted',
      'gen_ai.conversation.id': made.chat.id,
      'gen_ai.usage.input_tokens': expect.any(Number) as unknown,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    });
    expect(spansOfCaller().get('invoke_agent chat')?.attributes).toMatchObject({
      'truecast.valid': 1,
      'truecast.status': 'succeeded',
      'truecast.attempts': 1,
      'truecast.mode': 'tool',
    });
    const attributes = exporter.getFinishedSpans().map((span) => [span.name, span.attributes, span.events]);
    expect(JSON.stringify(attributes)).not.toContain(PLANTED);
    const events = ['model_call', 'tool_call', 'receipt', 'turn'];
    const logged = server.log.filter(({ event }) => events.includes(String(event)));
    expect(logged).toHaveLength(5);
    for (const line of logged) expect(line).toMatchObject({ trace_id: TRACE });
  });

  it('has the reason of an answer that failed', async () => {
    await using server = await traced(() => reply.text('No.'));
    const limits = { text_only: 1 };
    const body = { content: PLANTED, response_format, limits };
    const made = createdSchema.parse(await server.ask('/api/chats', body));
    await server.ask(`/api/chats/${made.chat.id}/requests/${made.request_id}?wait=30`);
    await expect.poll(() => spansOfCaller().has('invoke_agent chat')).toBe(true);
    expect(spansOfCaller().get('invoke_agent chat')?.attributes).toMatchObject({
      'truecast.valid': 0,
      'truecast.status': 'failed',
      'truecast.code': 'text_only',
    });
  });

  it('is kept for a message that waits in the queue', async () => {
    const other = `00-${'a'.repeat(32)}-${CALLER}-01`;
    const first = Promise.withResolvers<undefined>();
    await using server = await traced(async ({ userText }) => {
      if (userText === 'first') await first.promise;
      return reply.text('Done.');
    });
    const { chat } = createdSchema.parse(await server.ask('/api/chats', { content: 'first' }, other));
    await expect.poll(() => server.model.turns.length).toBe(1);
    await server.ask(`/api/chats/${chat.id}/messages`, { content: 'second' });
    first.resolve(undefined);
    await expect.poll(() => spansOfCaller().has('invoke_agent chat'), { timeout: 20_000 }).toBe(true);
    expect(parentOf('invoke_agent chat')).toBe('POST /api/chats/:id/messages');
    const { traceState } = spansOfCaller().get('invoke_agent chat')?.spanContext() ?? {};
    expect(traceState?.serialize()).toBe(STATE);
    const turns = server.log.filter(({ event }) => event === 'turn').map(({ trace_id }) => trace_id);
    expect(turns).toEqual(['a'.repeat(32), TRACE]);
  });

  it('covers `/v1`, whose failed call is marked', async () => {
    await using server = await traced([reply.error(400)]);
    const messages = [{ role: 'user', content: PLANTED }];
    await server.ask('/v1/chat/completions', { model: 'local:scripted', messages });
    expect(parentOf('chat local:scripted')).toBe('POST /v1/chat/completions');
    expect(spansOfCaller().get('chat local:scripted')).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'AI_APICallError' },
    });
    const lines = server.log.filter(({ event }) => event === 'v1_answer');
    expect(lines).toEqual([expect.objectContaining({ trace_id: TRACE, owner: 'anna' })]);
  });

  it.each(['no-header', `00-${'0'.repeat(32)}-${CALLER}-01`, ''])(
    'is new for a request with the header %j',
    async (header) => {
      await using server = await traced([reply.text('Done.')]);
      const { chat } = createdSchema.parse(await server.ask('/api/chats', { content: 'Hi' }, header));
      await expect.poll(() => server.log.filter(({ event }) => event === 'turn')).toHaveLength(1);
      const [line] = server.log.filter(({ event }) => event === 'turn');
      expect(line).toMatchObject({
        chat_id: chat.id,
        trace_id: expect.stringMatching(/^(?!0{32})[0-9a-f]{32}$/u) as unknown,
      });
    },
  );
});
