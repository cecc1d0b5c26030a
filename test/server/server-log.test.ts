/**
 * Tests of the server's log: a JSON line for each call, receipt and answer, and nothing of what was
 * said.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer, type ChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { tool } from '../../packages/server/src/tools/own-tool.ts';

/** In every place that a caller, a model or a tool can fill. */
const PLANTED = 'kumquat';
const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const response_format = { type: 'json_schema', json_schema: { name: PLANTED, schema } };
const dynamic = { name: PLANTED, description: PLANTED, input_schema: { type: 'object' } };

type Line = Readonly<Record<string, unknown>>;

const members = z.record(z.string(), z.unknown());
const written: string[] = [];
let model: ScriptedModelServer;
let server: ChatServer;
let token: string;

beforeAll(async () => {
  const submit = reply.tool(FINALIZER_NAME, { output: { word: PLANTED } });
  model = await scriptedModelServer({
    script: [
      // A chat with a format: a failed call, three tool calls, an invalid and a valid answer.
      reply.error(503, { message: `no ${PLANTED}`, code: `code of ${PLANTED}` }),
      reply.tool('works', { word: PLANTED }),
      reply.tool('fails', { word: PLANTED }),
      reply.tool(`no-${PLANTED}`, { word: PLANTED }),
      reply.tool(FINALIZER_NAME, { output: { [PLANTED]: 1 } }),
      submit,
      // `/v1`: text, a format, and a refusal.
      reply.text(PLANTED),
      submit,
      reply.error(400, { message: `bad ${PLANTED}`, code: 'bad_request' }),
      // A chat that fails, and one with a tool of the client.
      reply.error(400, { message: `bad ${PLANTED}` }),
      reply.tool(PLANTED, { word: PLANTED }),
      reply.text(PLANTED),
    ],
  });
  const leaking = (execute: () => unknown): ReturnType<typeof tool> =>
    tool({ description: PLANTED, inputSchema: z.object({ word: z.string() }), execute });
  server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted', OPENAI_API_KEY: PLANTED },
    models: ['local:scripted'],
    tools: {
      works: leaking(() => PLANTED),
      fails: leaking(() => {
        throw new TypeError(PLANTED);
      }),
    },
    onLog: (line) => written.push(line),
  });
  ({ token } = await server.createToken({ name: PLANTED, owner: 'anna' }));
});
afterAll(async () => {
  await server.close();
  await model.close();
});

async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-request-id': PLANTED,
      'idempotency-key': PLANTED + String(written.length),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return members.parse(await response.json());
}

async function begin(body: object): Promise<{ id: string; requestId: string }> {
  const { chat, request_id: requestId } = await ask('/api/chats', body);
  return { id: z.object({ id: z.string() }).parse(chat).id, requestId: String(requestId) };
}

async function until(chatId: string, status: string): Promise<void> {
  await expect
    .poll(async () => (await ask(`/api/chats/${chatId}`))['status'], { timeout: 30_000 })
    .toBe(status);
}

function lines(event: string): readonly Line[] {
  return written.map((line) => members.parse(JSON.parse(line))).filter((line) => line['event'] === event);
}

describe('the log of a server', { timeout: 240_000 }, () => {
  it('has a line for each model call, tool call, receipt and turn of a chat', async () => {
    const said = { content: PLANTED, title: PLANTED, system_prompt: PLANTED, response_format };
    const { id, requestId } = await begin(said);
    await ask(`/api/chats/${id}/requests/${requestId}?wait=30`);
    await until(id, 'waiting');
    const origin = { owner: 'anna', chat_id: id };
    const duration_ms: unknown = expect.any(Number);
    const calls = lines('model_call');
    expect(calls).toHaveLength(6);
    expect(calls[0]).toMatchObject({
      ...origin,
      level: 'warn',
      model: 'local:scripted',
      outcome: 'failed',
      error_kind: 'overloaded',
      status: 503,
      duration_ms,
    });
    expect(calls[1]).toMatchObject({
      ...origin,
      level: 'info',
      model: 'local:scripted',
      response_model: 'scripted',
      outcome: 'tool_calls',
      input_tokens: expect.any(Number) as unknown,
      output_tokens: expect.any(Number) as unknown,
      duration_ms,
    });
    expect(lines('tool_call').map(({ tool, outcome, run_by }) => ({ tool, outcome, run_by }))).toEqual([
      { tool: 'works', outcome: 'ok', run_by: 'server' },
      { tool: 'fails', outcome: 'error', run_by: 'server' },
      { tool: undefined, outcome: expect.any(String) as unknown, run_by: 'server' },
    ]);
    expect(lines('receipt')).toEqual([
      expect.objectContaining({
        ...origin,
        request_id: requestId,
        status: 'succeeded',
        attempts: ['invalid', 'ok'],
        model: 'local:scripted',
        duration_ms,
      }),
    ]);
    expect(lines('turn')).toEqual([expect.objectContaining({ ...origin, status: 'finished' })]);
  });

  it('has a line for each answer of /v1, and for each request that was refused', async () => {
    const messages = [{ role: 'user', content: PLANTED }];
    await ask('/v1/chat/completions', { model: 'local:scripted', messages });
    await ask('/v1/responses', {
      model: 'local:scripted',
      input: PLANTED,
      text: { format: { type: 'json_schema', name: PLANTED, schema } },
    });
    await ask('/v1/chat/completions', { model: 'local:scripted', messages });
    await ask('/v1/chat/completions', { model: PLANTED, messages });
    const route = '/v1/chat/completions';
    const answered = { owner: 'anna', model: 'local:scripted', streamed: false };
    expect(lines('v1_answer')).toEqual([
      expect.objectContaining({
        ...answered,
        route,
        outcome: 'ok',
        output_tokens: expect.any(Number) as unknown,
      }),
      expect.objectContaining({ ...answered, route: '/v1/responses', outcome: 'ok', status: 200 }),
      expect.objectContaining({ ...answered, route, outcome: 'model_refused_request', status: 400 }),
      expect.objectContaining({ owner: 'anna', route, outcome: 'model_not_found', status: 404 }),
    ]);
    expect(lines('model_call').at(-1)).toMatchObject({ owner: 'anna', service_code: 'bad_request' });
  });

  it('has a line for a turn that failed, and for the result of a client', async () => {
    const failing = await begin({ content: PLANTED });
    await until(failing.id, 'error');
    expect(lines('turn').at(-1)).toMatchObject({ level: 'warn', status: 'error', error_kind: 'config' });
    const { id } = await begin({ content: PLANTED, tools: [dynamic] });
    await until(id, 'requires_action');
    const { messages } = await ask(`/api/chats/${id}/messages`);
    const [, tool_call_id] = /"tool_call_id":"([^"]+)"/u.exec(JSON.stringify(messages)) ?? [];
    await ask(`/api/chats/${id}/tool_results`, { results: [{ tool_call_id, output: PLANTED }] });
    await until(id, 'waiting');
    expect(lines('tool_call').at(-1)).toMatchObject({ owner: 'anna', chat_id: id, run_by: 'client' });
  });

  it('has no prompt, value, argument, header, token or message of a service', () => {
    expect(written.length).toBeGreaterThan(15);
    for (const line of written) {
      expect(line).toMatch(/^\{"level":"(?:info|warn|error)","time":"[^"]+Z",.*"msg":"[^"]+"\}$/u);
      expect(line).not.toContain(PLANTED);
      expect(line).not.toContain(token);
    }
  });
});
