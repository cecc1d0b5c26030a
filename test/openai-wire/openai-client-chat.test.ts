import { zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { startWire, submit } from './start-wire.ts';

const City = z.object({ name: z.string(), people: z.int() });
const messages = [{ role: 'user' as const, content: 'Which city?' }];
const oslo = { name: 'Oslo', people: 717_710 };

describe('the official client gets', () => {
  it('a parsed value from a model without structured output, which talks first and is wrong once', async () => {
    await using wire = await startWire({
      script: [reply.text('It is Oslo.'), submit({ name: 'Oslo', people: 'many' }), submit(oslo)],
    });
    const completion = await wire.client.chat.completions.parse({
      model: 'test',
      messages,
      response_format: zodResponseFormat(City, 'city'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual(oslo);
    expect(completion.choices[0]?.message.content).toBe('{"name":"Oslo","people":717710}');
    expect(completion.usage?.completion_tokens).toBeGreaterThan(10);
    expect(wire.upstream.turns).toHaveLength(3);
    expect(wire.upstream.failures).toEqual([]);
  });

  it('the reasoning of a model, whole and streamed', async () => {
    const thought = reply.steps([reply.thinking('It is far north.', { chunkChars: 6 }), reply.text('Oslo')]);
    await using wire = await startWire({ script: [thought, thought], provider: 'openai compatible' });
    const whole = await wire.client.chat.completions.create({ model: 'test', messages });
    expect(whole.choices[0]?.message).toMatchObject({
      content: 'Oslo',
      reasoning_content: 'It is far north.',
    });
    const stream = await wire.client.chat.completions.create({ model: 'test', messages, stream: true });
    const told: string[] = [];
    for await (const { choices } of stream) {
      const delta: object = choices[0]?.delta ?? {};
      if ('reasoning_content' in delta) told.push(`thinks ${String(delta.reasoning_content)}`);
      else if ('content' in delta && delta.content !== '') told.push(`says ${String(delta.content)}`);
    }
    expect(told.map((each) => each.split(' ')[0]).join(' ')).toMatch(/^thinks( thinks)+ says$/u);
    expect(told.map((each) => each.replace(/^thinks /u, '')).join('')).toBe('It is far north.says Oslo');
  });

  it('streamed text', async () => {
    await using wire = await startWire({ script: [reply.text('Oslo is in Norway.', { chunkChars: 5 })] });
    const stream = wire.client.chat.completions.stream({
      model: 'test',
      messages,
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(deltas).toEqual(['Oslo ', 'is in', ' Norw', 'ay.']);
    expect(final.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'Oslo is in Norway.' },
    });
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('a validated value by a stream', async () => {
    await using wire = await startWire({ script: [reply.text('It is Oslo.'), submit(oslo)] });
    const stream = wire.client.chat.completions.stream({
      model: 'test',
      messages,
      response_format: zodResponseFormat(City, 'city'),
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.parsed).toEqual(oslo);
  });

  it('one failure, from one request, if no answer is accepted', async () => {
    const answers: unknown[] = [];
    const ports = { onAnswer: (answer: unknown) => answers.push(answer) };
    await using wire = await startWire({ script: () => submit({ name: 'Oslo' }), ports });
    const failure: unknown = await wire.client.chat.completions
      .parse({ model: 'test', messages, response_format: zodResponseFormat(City, 'city') })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      status: 422,
      type: 'structured_output_error',
      code: 'structured_output_not_produced',
      error: { reason: 'validation_exhausted', attempts: { length: 5 } },
    });
    const { usage } = (failure as { error: { usage: { output_tokens: number } } }).error;
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(answers).toEqual([
      expect.objectContaining({
        usage: expect.objectContaining({ outputTokens: usage.output_tokens }) as unknown,
      }),
    ]);
    expect(wire.calls).toEqual(['POST /v1/chat/completions 422']);
    expect(wire.upstream.turns).toHaveLength(5);
  });
});
