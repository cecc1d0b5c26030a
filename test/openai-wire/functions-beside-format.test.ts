/** Functions beside a response format: their arguments are judged as those of a request without one. */
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { forced, order, RIGHT, STUMBLING, WRONG } from './order-function.ts';
import { startWire } from './start-wire.ts';

describe('beside a format, a function', () => {
  const format = {
    type: 'json_schema' as const,
    json_schema: {
      name: 'total',
      schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    },
  };
  const strict = { ...order, function: { ...order.function, strict: true } };
  const choices: readonly (readonly [string, Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>])[] = [
    ['that is forced', {}],
    ['of a required choice', { tool_choice: 'required' }],
    ['that is strict', { tools: [strict], tool_choice: 'auto' }],
  ];

  it.each(choices)('%s is asked again while its arguments do not fit', async (_name, body) => {
    await using wire = await startWire({ provider: 'openai chat', script: STUMBLING });
    const called = await forced(wire, { response_format: format, ...body });
    expect(called).toMatchObject({ name: 'order', args: RIGHT, reason: 'tool_calls' });
    expect(wire.upstream.turns).toHaveLength(2);
    expect(wire.upstream.turns[1]?.lastToolResult?.text).toContain('/customer: Expected string');
  });

  it.each(choices)('%s fails with 422 after three calls', async (_name, body) => {
    await using wire = await startWire({ provider: 'openai chat', script: () => reply.tool('order', WRONG) });
    await expect(forced(wire, { response_format: format, ...body })).rejects.toMatchObject({
      status: 422,
      code: 'structured_output_not_produced',
      error: { attempts: { length: 3 } },
    });
    expect(wire.upstream.turns).toHaveLength(3);
  });

  it.each(choices)('%s is given back once, and then asked for anew with the next seed', async (_, body) => {
    await using wire = await startWire({ provider: 'openai chat', script: () => reply.tool('order', WRONG) });
    await forced(wire, { response_format: format, seed: 5, ...body }).catch(() => undefined);
    const asked = wire.upstream.turns.map(({ toolResults }, at) => [
      toolResults.length,
      /"seed":(\d+)/u.exec(wire.upstream.requests[at]?.body ?? '')?.[1],
    ]);
    expect(asked).toEqual([
      [0, '5'],
      [1, '5'],
      [0, '6'],
    ]);
  });

  it('passes as it came if it is neither', async () => {
    await using wire = await startWire({ provider: 'openai chat', script: STUMBLING });
    const called = await forced(wire, { response_format: format, tool_choice: 'auto' });
    expect(called.args).toEqual(WRONG);
  });
});
