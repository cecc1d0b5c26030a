/** Tests of the wire: a refusal of the model, and a cut at the caller's own limit, cost one call. */
import type OpenAI from 'openai';
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { startWire, submit } from './start-wire.ts';

const SAID = 'I cannot help with that.';
const messages = [{ role: 'user' as const, content: 'How?' }];
const json_schema = { name: 'answer', schema: { type: 'object' } };
const response_format: OpenAI.ResponseFormatJSONSchema = { type: 'json_schema', json_schema };
const text = { format: { type: 'json_schema', ...json_schema } } as const;
/** A service that reports refusals as such. */
const REFUSING = {
  script: () => reply.text(SAID, { finishReason: 'refusal' }),
  provider: 'anthropic',
} as const;

/** Anthropic names the reason; OpenAI's wires have a field or a part of their own. */
const PROVIDERS = ['anthropic', 'openai compatible', 'openai chat', 'openai responses'];

it.each(PROVIDERS.flatMap((provider) => [{ response_format }, {}].map((more) => [provider, more] as const)))(
  'is the field `refusal` of a chat completion: %s, with %o',
  async (provider, more) => {
    await using wire = await startWire({ ...REFUSING, provider });
    const { choices } = await wire.client.chat.completions.create({ model: 'test', messages, ...more });
    expect(choices[0]?.message).toMatchObject({ content: null, refusal: SAID });
    expect(wire.upstream.requests).toHaveLength(1);
  },
);

it('is what the parse helpers of the official client return', async () => {
  await using wire = await startWire(REFUSING);
  const { choices } = await wire.client.chat.completions.parse({ model: 'test', messages, response_format });
  expect(choices[0]?.message).toMatchObject({ parsed: null, refusal: SAID });
});

it('is streamed as a refusal, and not as content', async () => {
  await using wire = await startWire(REFUSING);
  const stream = await wire.client.chat.completions.create({
    model: 'test',
    messages,
    response_format,
    stream: true,
  });
  const seen = { content: '', refusal: '' };
  for await (const { choices } of stream) {
    seen.content += choices[0]?.delta.content ?? '';
    seen.refusal += choices[0]?.delta.refusal ?? '';
  }
  expect(seen).toEqual({ content: '', refusal: SAID });
});

it('is an item of a response, streamed or whole', async () => {
  await using wire = await startWire(REFUSING);
  const refusal = [{ type: 'refusal', refusal: SAID }];
  const whole = await wire.client.responses.create({ model: 'test', input: 'How?', text });
  expect(whole.output).toMatchObject([{ type: 'message', status: 'completed', content: refusal }]);
  const stream = wire.client.responses.stream({ model: 'test', input: 'How?', text });
  const told: string[] = [];
  stream.on('response.refusal.done', (event) => told.push(event.refusal));
  expect((await stream.finalResponse()).output).toMatchObject([{ type: 'message', content: refusal }]);
  expect(told).toEqual([SAID]);
  expect(wire.upstream.requests).toHaveLength(2);
});

it('without words is a 422 that no client repeats', async () => {
  await using wire = await startWire({
    ...REFUSING,
    script: () => reply.text('', { finishReason: 'refusal' }),
  });
  const asked = wire.client.chat.completions.create({ model: 'test', messages, response_format });
  await expect(asked).rejects.toMatchObject({ status: 422, code: 'model_refused' });
  expect(wire.upstream.requests).toHaveLength(1);
});

it('that cuts the answer is a 422, not a refusal made of half JSON', async () => {
  for (const half of ['{"ci', '```json\n{"city":']) {
    await using wire = await startWire({
      ...REFUSING,
      script: () => reply.text(half, { finishReason: 'refusal' }),
    });
    const asked = wire.client.chat.completions.create({ model: 'test', messages, response_format });
    await expect(asked).rejects.toMatchObject({ status: 422, code: 'model_refused' });
  }
});

it('a cut at `max_tokens` of the caller is not repeated', async () => {
  const cut = reply.text('{"a', { finishReason: 'length' });
  await using wire = await startWire({ script: [cut, submit({}), cut, submit({})] });
  const create = (more: object) =>
    wire.client.chat.completions.create({ model: 'test', messages, response_format, ...more });
  await expect(create({ max_tokens: 5 })).rejects.toMatchObject({
    status: 422,
    error: { code: 'structured_output_not_produced', reason: 'truncated' },
  });
  expect(wire.upstream.requests).toHaveLength(1);
});

it('a cut at `max_tokens` of the caller is asked anew of a local engine, without the cut reply', async () => {
  const cut = reply.text('{"a', { finishReason: 'length' });
  await using wire = await startWire({
    localServer: 'llama.cpp',
    capabilities: { takesRequiredChoice: true, takesNativeSchema: true, isLearned: true },
    script: [cut, cut, reply.json({})],
  });
  const asked = { model: 'test', messages, response_format, max_tokens: 5, seed: 3 };
  const { choices } = await wire.client.chat.completions.create(asked);
  expect(choices[0]?.message.content).toBe('{}');
  const asks = wire.upstream.turns.map(({ body }) => JSON.stringify(body));
  expect(asks.map((ask) => /"seed":(\d+)/u.exec(ask)?.[1])).toEqual(['3', '4', '5']);
  expect(asks.filter((ask) => ask.includes('{\\"a'))).toEqual([]);
});

it('a cut at the server’s own limit is repeated', async () => {
  const cut = reply.text('{"a', { finishReason: 'length' });
  await using wire = await startWire({ script: [cut, submit({})] });
  const { choices } = await wire.client.chat.completions.create({ model: 'test', messages, response_format });
  expect(choices[0]?.message.content).toBe('{}');
});

it.each([
  ['a conversation of more than 50,000 values', 413, 'request_too_large', `[${'[],'.repeat(60_000)}[]]`],
  ['brackets of any depth', 400, 'invalid_json', '['.repeat(1_000_000)],
])('refuses %s before it is parsed', async (_title, status, code, list) => {
  await using wire = await startWire({ script: () => reply.text('Hi.') });
  const response = await fetch(`${wire.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"model":"test","messages":${list}`,
  });
  // The body is not JSON either: its end is missing.
  expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
});
