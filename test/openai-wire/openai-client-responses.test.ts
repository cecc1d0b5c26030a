import { zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { startWire, submit } from './start-wire.ts';

const City = z.object({ name: z.string(), people: z.int() });
const oslo = { name: 'Oslo', people: 717_710 };
const ask = { model: 'test', input: 'Which city?' };
const text = { format: zodTextFormat(City, 'city') };
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Tells the weather.',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('the official client gets by responses', () => {
  it('a parsed value from a model without structured output, which talks first and is wrong once', async () => {
    await using wire = await startWire({
      script: [reply.text('It is Oslo.'), submit({ name: 'Oslo', people: 'many' }), submit(oslo)],
    });
    const response = await wire.client.responses.parse({ ...ask, text });
    expect(response.output_parsed).toEqual(oslo);
    expect(response.status).toBe('completed');
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
    expect(wire.upstream.failures).toEqual([]);
  });

  it('streamed text, in the documented order of events', async () => {
    await using wire = await startWire({ script: [reply.text('Oslo is in Norway.', { chunkChars: 9 })] });
    const stream = wire.client.responses.stream({ ...ask, instructions: 'Be short.' });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect((await stream.finalResponse()).output_text).toBe('Oslo is in Norway.');
    expect(wire.upstream.turns[0]?.system).toContain('Be short.');
  });

  it('a validated value by a stream', async () => {
    await using wire = await startWire({ script: [reply.text('It is Oslo.'), submit(oslo)] });
    const stream = wire.client.responses.stream({ ...ask, text });
    expect((await stream.finalResponse()).output_parsed).toEqual(oslo);
  });

  it('calls of its functions, and then a value from their results', async () => {
    await using wire = await startWire({ script: [reply.tool('weather', { city: 'Oslo' }), submit(oslo)] });
    const first = await wire.client.responses.stream({ ...ask, text, tools: [weather] }).finalResponse();
    const [call] = first.output;
    expect(call).toMatchObject({ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' });
    const call_id = call?.type === 'function_call' ? call.call_id : '';
    const second = await wire.client.responses.parse({
      model: 'test',
      text,
      tools: [weather],
      input: [
        { role: 'user', content: 'Which city?' },
        { type: 'function_call', call_id, name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id, output: 'Rain.' },
      ],
    });
    expect(second.output_parsed).toEqual(oslo);
    expect(wire.upstream.turns[1]?.lastToolResult?.text).toContain('Rain.');
    expect(wire.upstream.failures).toEqual([]);
  });

  it('one failure, from one request, if no answer is accepted', async () => {
    await using wire = await startWire({ script: () => reply.text('It is Oslo.') });
    for (const stream of [false, true]) {
      const asked = stream
        ? wire.client.responses.create({ ...ask, text, stream })
        : wire.client.responses.create({ ...ask, text });
      await expect(asked).rejects.toMatchObject({
        status: 422,
        code: 'structured_output_not_produced',
        error: { reason: 'text_only' },
      });
    }
    expect(wire.calls).toEqual(['POST /v1/responses 422', 'POST /v1/responses 422']);
  });

  it('an incomplete response if the model reached its limit', async () => {
    await using wire = await startWire({ script: [reply.text('Oslo is', { finishReason: 'length' })] });
    const response = await wire.client.responses.create({ ...ask, max_output_tokens: 3 });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });
});
