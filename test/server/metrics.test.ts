/**
 * Tests of the server's metrics: turns, models, tools and answers, in a valid scrape format,
 * without any owner's data.
 */
import { expect, it } from 'vitest';
import { measuredMachine } from '../../packages/server/src/metrics/measured-machine.ts';
import type { ObservedReceipt } from '../../packages/server/src/contract/observed-work.ts';
import type { ObservedCall } from '../../packages/server/src/models/observed-step.ts';
import { ServerMetrics } from '../../packages/server/src/metrics/server-metrics.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { toolFailure, toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { httpServer, type HttpServer } from './http-server.ts';
import { readExposition, type Exposition } from './read-exposition.ts';

const response_format = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  },
};
const submit = (n: unknown) => reply.toolText(FINALIZER_NAME, JSON.stringify({ output: { n } }));

const tool = (name: string, run: ServerTool['run']): ServerTool => ({
  definition: { name, description: 'Works.', inputSchema: { type: 'object' } },
  run,
});
const tools = [
  tool('works', () => Promise.resolve(toolSuccess('done'))),
  tool('fails', () => Promise.resolve(toolFailure('broken'))),
];

describeOnBothStores('the metrics', (open) => {
  async function withServer(
    script: ModelScript,
    work: (server: HttpServer, read: () => Promise<Exposition>) => Promise<void>,
  ): Promise<void> {
    const metrics = new ServerMetrics();
    const wrap = (machine: Parameters<typeof measuredMachine>[0]) => measuredMachine(machine, metrics);
    const ports = { onModelCall: (call: ObservedCall) => metrics.observeCall(call) };
    const machine = { onReceipt: (receipt: ObservedReceipt) => metrics.observeReceipt(receipt) };
    const options = { script, tools, wrap, ports, machine, http: { metrics } };
    await using server = await httpServer({ store: open(), ...options });
    await work(server, async () => readExposition((await server.ask('GET', '/metrics')).text));
  }

  it('count turns, model calls, tool calls, retries, and answers with their reasons', async () => {
    const script = [
      reply.error(503),
      reply.tool('works', {}),
      reply.tool('fails', {}),
      submit('one'),
      submit(1),
      submit('a'),
    ];
    await withServer(script, async (server, read) => {
      const first = await server.begin({ content: 'Count', response_format });
      expect(await server.receipt(first.chatId, first.requestId)).toMatchObject({ status: 'succeeded' });
      const limits = { max_repairs: 1 };
      const second = await server.begin({ content: 'Count', response_format, limits });
      expect(await server.receipt(second.chatId, second.requestId)).toMatchObject({ status: 'failed' });
      await server.turns.until(second.chatId, 'waiting');
      const { samples } = await read();
      const counted = Object.fromEntries([...samples].filter(([key]) => /_total\{/u.test(key)));
      expect(counted).toMatchObject({
        'truecast_turns_total{status="finished"}': 2,
        'truecast_structured_answers_total{status="succeeded",reason="none"}': 1,
        'truecast_structured_answers_total{status="failed",reason="validation_exhausted"}': 1,
        'truecast_submissions_total{code="ok"}': 1,
        'truecast_submissions_total{code="invalid"}': 2,
        'truecast_model_calls_total{model="test:scripted",outcome="failed"}': 1,
        'truecast_model_calls_total{model="test:scripted",outcome="tool_calls"}': 5,
        'truecast_model_retries_total{kind="overloaded"}': 1,
        'truecast_tool_calls_total{run_by="server",outcome="ok"}': 1,
        'truecast_tool_calls_total{run_by="server",outcome="error"}': 1,
      });
      expect(samples.get('truecast_model_call_duration_seconds_count{model="test:scripted"}')).toBe(5);
      expect(samples.get('truecast_transition_duration_seconds_count{transition="commit_step"}')).toBe(3);
      expect(counted['truecast_model_tokens_total{model="test:scripted",kind="output"}']).toBeGreaterThan(0);
    });
  });

  it('count calls of /v1, by model and route', async () => {
    const metrics = new ServerMetrics();
    await using scripted = await scriptedModelServer({ script: [reply.error(400), reply.text('Done.')] });
    const base = compatibleModel(openAICompatible({ baseURL: scripted.openaiUrl, model: 'scripted' }));
    const openAI = {
      models: { list: () => ['test:v1'], find: () => Promise.resolve({ id: 'test:v1', ...base }) },
      onModelCall: (call: ObservedCall) => metrics.observeCall(call),
    };
    await using server = await httpServer({ store: open(), script: [], http: { metrics, openAI } });
    const messages = [{ role: 'user', content: 'Hi' }];
    for (let asked = 0; asked < 2; asked += 1) {
      await server.ask('POST', '/v1/chat/completions', { body: { model: 'test:v1', messages } });
    }
    const { samples } = readExposition((await server.ask('GET', '/metrics')).text);
    expect(samples.get('truecast_model_calls_total{model="test:v1",outcome="failed"}')).toBe(1);
    expect(samples.get('truecast_model_calls_total{model="test:v1",outcome="stop"}')).toBe(1);
    expect(samples.get('truecast_model_tokens_total{model="test:v1",kind="output"}')).toBeGreaterThan(0);
    const requests = 'truecast_http_requests_total{method="POST",route="/v1/chat/completions"';
    expect(samples.get(`${requests},status="200"}`)).toBe(1);
    expect(samples.get(`${requests},status="400"}`)).toBe(1);
  });

  it('report active and waiting work of all processes', async () => {
    await withServer([reply.delay(60_000, reply.text('late'))], async (server, read) => {
      const { chatId } = await server.begin({ content: 'Wait' });
      await server.ask('POST', `/api/chats/${chatId}/messages`, { body: { content: 'queued' } });
      await expect.poll(async () => (await read()).samples.get('truecast_turns_active{}')).toBe(1);
      const { samples } = await read();
      expect(samples.get('truecast_chats{status="running"}')).toBe(1);
      expect(samples.get('truecast_queued_messages{}')).toBe(1);
      await server.ask('POST', `/api/chats/${chatId}/interrupt`);
      await expect
        .poll(async () => (await read()).samples.get('truecast_turns_total{status="interrupted"}'))
        .toBe(1);
      await server.ask('DELETE', `/api/chats/${chatId}`);
    });
  });

  it('contain no id, no owner and no text', async () => {
    await withServer([reply.text('A secret.')], async (server) => {
      const { chatId } = await server.begin({ content: 'Say it', title: 'A title' });
      await server.turns.until(chatId, 'waiting');
      await server.ask('GET', '/api/chats/not-a-chat');
      await server.ask('GET', '/not/a/"route"');
      const { text } = await server.ask('GET', '/metrics');
      expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|secret|title|Say it|not-a-chat|"route"|owner="/u);
    });
  });
});
