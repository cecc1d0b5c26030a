/** Tests of OpenTelemetry metrics: model calls and answers, without content. */
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';

const PLANTED = 'kumquat';
const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const response_format = { type: 'json_schema', json_schema: { name: 'one', schema } };
const createdSchema = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
afterAll(async () => {
  metrics.disable();
  await reader.shutdown();
});

/** Each point as its metric, its attributes and its count. */
async function points(): Promise<readonly (readonly [string, Readonly<Record<string, unknown>>, unknown])[]> {
  await reader.forceFlush();
  const all =
    exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  return all.flatMap(({ descriptor, dataPoints }) =>
    dataPoints.map(
      ({ attributes, value }) =>
        [descriptor.name, attributes, typeof value === 'number' ? value : value.count] as const,
    ),
  );
}

it('counts model calls by the GenAI conventions, and answers', { timeout: 240_000 }, async () => {
  await using model = await scriptedModelServer({
    script: [reply.tool(FINALIZER_NAME, { output: { word: PLANTED } }), reply.error(400)],
  });
  await using server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
  });
  const { token } = await server.createToken({ name: 'test', owner: 'anna' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (path: string, body: object): Promise<unknown> =>
    (await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const made = createdSchema.parse(await send('/api/chats', { content: PLANTED, response_format }));
  await fetch(`${server.url}/api/chats/${made.chat.id}/requests/${made.request_id}?wait=30`, { headers });
  const messages = [{ role: 'user', content: PLANTED }];
  await send('/v1/chat/completions', { model: 'local:scripted', messages });

  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': expect.any(String) as unknown,
    'gen_ai.request.model': 'local:scripted',
  };
  const counted = await points();
  expect(counted).toEqual(
    expect.arrayContaining([
      ['gen_ai.client.operation.duration', call, 1],
      ['gen_ai.client.operation.duration', { ...call, 'error.type': 'AI_APICallError' }, 1],
      ['gen_ai.client.token.usage', { ...call, 'gen_ai.token.type': 'input' }, 1],
      ['gen_ai.client.token.usage', { ...call, 'gen_ai.token.type': 'output' }, 1],
      ['truecast.answers', { 'truecast.status': 'succeeded', 'truecast.mode': 'native' }, 1],
    ]),
  );
  expect(counted).toHaveLength(5);
  expect(JSON.stringify(counted)).not.toMatch(/kumquat|anna/u);
});
