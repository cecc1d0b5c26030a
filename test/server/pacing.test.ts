/** Rate limits of a model's service, over HTTP: who waits, who is refused, and how the log shows it. */
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServerOptions,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { COUNT, submit } from './answers.ts';

const lineSchema = z.record(z.string(), z.unknown());
const createdSchema = z.looseObject({ chat: z.looseObject({ id: z.string() }), request_id: z.string() });
const FORMAT = { type: 'json_schema', json_schema: { name: 'count', schema: COUNT } };
type Line = z.infer<typeof lineSchema>;

async function open(script: ScriptedModelServerOptions['script']) {
  const model = await scriptedModelServer({ script });
  const written: string[] = [];
  const server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
    onLog: (line) => written.push(line),
  });
  onTestFinished(async () => {
    await server.close();
    await model.close();
  });
  const { token } = await server.createToken({ name: 'test', owner: 'anna' });
  const ask = (path: string, body?: object): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  return {
    model,
    ask,
    complete: () =>
      ask('/v1/chat/completions', { model: 'local:scripted', messages: [{ role: 'user', content: 'Hi' }] }),
    lines: (event: string): readonly Line[] =>
      written.map((line) => lineSchema.parse(JSON.parse(line))).filter((line) => line['event'] === event),
  };
}

it('refuses calls of /v1 during a long limit with its delay, and sends none of them', async () => {
  const { model, complete, lines } = await open(() => reply.error(429, { retryAfterSeconds: 30 }));
  const answers = [await complete(), await complete(), await complete()];
  for (const answer of answers) {
    const { error } = z.object({ error: z.looseObject({ code: z.string() }) }).parse(await answer.json());
    const delay = Number(answer.headers.get('retry-after'));
    expect([answer.status, error.code, delay > 0 && delay <= 30]).toEqual([429, 'rate_limit_exceeded', true]);
  }
  expect(model.turns).toHaveLength(1);
  expect(lines('model_pacing')).toMatchObject([
    { level: 'warn', model: 'local:scripted', change: 'limited' },
  ]);
});

it('sends a call of /v1 after a short limit, and logs how long it waited for it', async () => {
  const { model, complete, lines } = await open([
    reply.error(429, { retryAfterSeconds: 1 }),
    reply.text('Fine.'),
  ]);
  expect((await complete()).status).toBe(200);
  expect(model.turns).toHaveLength(2);
  const [limited, answered] = lines('model_call');
  expect(limited).toMatchObject({ outcome: 'failed', error_kind: 'rate_limit' });
  expect(limited).not.toHaveProperty('waited_ms');
  expect(answered).toMatchObject({ outcome: 'stop', waited_for: 'rate_limit' });
  expect(answered?.['waited_ms']).toBeGreaterThan(500);
});

it('continues a chat after a limit with one call, and its receipt and the log have the wait', async () => {
  const { model, ask, lines } = await open([
    reply.error(429, { retryAfterSeconds: 1 }),
    submit('{"output":{"n":1}}'),
  ]);
  const created = await ask('/api/chats', { content: 'Hi', response_format: FORMAT });
  const { chat, request_id: id } = createdSchema.parse(await created.json());
  const receipt: unknown = await (await ask(`/api/chats/${chat.id}/requests/${id}?wait=30`)).json();
  expect(receipt).toMatchObject({
    status: 'succeeded',
    attempts: [{ code: 'ok', waited_for: 'rate_limit', waited_ms: expect.any(Number) }],
  });
  expect(model.turns).toHaveLength(2);
  expect(lines('model_call')).toMatchObject([
    { outcome: 'failed', chat_id: chat.id },
    { outcome: 'tool_calls', chat_id: chat.id, waited_for: 'rate_limit' },
  ]);
});
