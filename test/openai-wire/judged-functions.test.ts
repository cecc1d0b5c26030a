/** Functions whose arguments are judged: forced calls, and calls of strict functions. */
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { forced, messages, named, order, parameters, RIGHT, STUMBLING, WRONG } from './order-function.ts';
import { startWire, type WireOptions } from './start-wire.ts';

const cancel = {
  type: 'function',
  function: {
    name: 'cancel',
    description: 'Cancels it.',
    parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  },
} as const;
/** An engine that decodes under schemas and drops tools in silence. */
const ENGINE: Partial<WireOptions> = {
  localServer: 'llama.cpp',
  capabilities: { takesRequiredChoice: true, takesNativeSchema: true, isLearned: true },
};
const ofSchema: ModelScript = ({ jsonSchema }) => {
  if (jsonSchema === undefined) return reply.text('I would like to help.');
  return reply.json(JSON.stringify(jsonSchema).includes('"function"') ? { function: 'cancel' } : VALUE);
};
const VALUE = { ...RIGHT, id: 7 };

describe.each(['openai chat', 'openai compatible'])('a forced function of %s', (provider) => {
  it('is asked again while its arguments do not fit its schema', async () => {
    await using wire = await startWire({ provider, script: STUMBLING });
    expect(await forced(wire)).toEqual({
      id: expect.stringMatching(/./u),
      name: 'order',
      args: RIGHT,
      reason: 'tool_calls',
    });
    const told = wire.upstream.turns[1]?.lastToolResult?.text;
    expect(told).toContain('/customer: Expected string');
    expect(wire.upstream.turns).toHaveLength(2);
  });

  it('is one call if its first arguments are valid', async () => {
    await using wire = await startWire({ provider, script: [reply.tool('order', RIGHT)] });
    expect((await forced(wire)).args).toEqual(RIGHT);
    expect(wire.upstream.turns).toHaveLength(1);
  });
});

it('a forced function of an engine without tools is asked by its schema, and is a call', async () => {
  await using wire = await startWire({ ...ENGINE, script: () => reply.json(RIGHT) });
  expect(await forced(wire)).toMatchObject({
    id: expect.stringMatching(/^call_/u),
    name: 'order',
    args: RIGHT,
  });
  expect(wire.upstream.turns).toHaveLength(1);
  expect(wire.upstream.turns[0]).toMatchObject({ tools: [], jsonSchema: { properties: { customer: {} } } });
  expect(wire.upstream.turns[0]?.system).toContain('Files an order.');
});

it('a required call of several functions is chosen first, and then filled in', async () => {
  await using wire = await startWire({ ...ENGINE, script: ofSchema });
  const called = await forced(wire, { tools: [order, cancel], tool_choice: 'required' });
  expect(called).toMatchObject({ name: 'cancel', args: { id: 7 } });
  expect(wire.upstream.turns[0]?.system).toContain('- cancel: Cancels it.');
  expect(wire.upstream.turns).toHaveLength(2);
});

it('a service that refuses the forced choice is asked by the answer’s own means', async () => {
  await using wire = await startWire({
    provider: 'openai chat',
    capabilities: { takesNativeSchema: true },
    script: [reply.error(400, { message: 'tool_choice is not supported' }), reply.json(RIGHT)],
  });
  expect((await forced(wire)).args).toEqual(RIGHT);
});

it('fails with 422 and its attempts if no arguments fit', async () => {
  await using wire = await startWire({ ...ENGINE, script: () => reply.json(WRONG) });
  const error = await forced(wire).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    status: 422,
    code: 'structured_output_not_produced',
    error: { attempts: expect.arrayContaining([expect.objectContaining({ code: 'invalid' })]) },
  });
});

function seedOf(body: string): unknown {
  const { seed }: { readonly seed?: unknown } = JSON.parse(body) as object;
  return seed;
}

describe('a function under `auto`', () => {
  const strict = { ...order, function: { ...order.function, strict: true } };

  it('is judged if it is strict', async () => {
    await using wire = await startWire({ script: STUMBLING });
    expect((await forced(wire, { tools: [strict], tool_choice: 'auto' })).args).toEqual(RIGHT);
    expect(wire.upstream.turns).toHaveLength(2);
  });

  it('passes as it came if it is not', async () => {
    await using wire = await startWire({ script: STUMBLING });
    expect((await forced(wire, { tool_choice: 'auto' })).args).toEqual(WRONG);
  });

  it('need not be called', async () => {
    await using wire = await startWire({ script: [reply.text('Paid.')] });
    const { choices } = await wire.client.chat.completions.create({
      model: 'test',
      messages,
      tools: [strict],
    });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Paid.' } });
  });

  it('fails with 422 after three calls with invalid arguments', async () => {
    await using wire = await startWire({ script: () => reply.tool('order', WRONG) });
    const asking = forced(wire, { tools: [strict], tool_choice: 'auto' });
    await expect(asking).rejects.toMatchObject({ status: 422, code: 'structured_output_not_produced' });
    expect(wire.upstream.turns).toHaveLength(3);
  });

  it('is given back once, and then asked for anew', async () => {
    await using wire = await startWire({ script: () => reply.tool('order', WRONG) });
    await forced(wire, { tools: [strict], tool_choice: 'auto' }).catch(() => undefined);
    expect(wire.upstream.turns.map(({ toolResults }) => toolResults.length)).toEqual([0, 1, 0]);
  });

  it('is asked for anew with the next seed, and its arguments are told as a type', async () => {
    await using wire = await startWire({ script: () => reply.tool('order', WRONG) });
    await forced(wire, { tools: [strict], tool_choice: 'auto', seed: 5 }).catch(() => undefined);
    expect(wire.upstream.requests.map(({ body }) => seedOf(body))).toEqual([5, 5, 6]);
    const [first, , third] = wire.upstream.turns;
    expect(first?.userText).toBe('Ines pays.');
    expect(third?.userText).toContain('"state": "open" | "paid"');
  });

  it('beside another call of its step gets its result when it is asked again', async () => {
    const both = reply.steps([reply.tool('order', WRONG), reply.tool('cancel', { id: 7 })]);
    await using wire = await startWire({ script: [both, reply.tool('order', RIGHT)] });
    await forced(wire, { tools: [strict, cancel], tool_choice: 'auto' });
    expect(wire.upstream.turns[1]?.toolResults.map(({ text }) => text.split('.')[0])).toEqual([
      expect.stringContaining('The arguments do not fit'),
      'Not run: another call of this step has invalid arguments',
    ]);
  });
});

describe('a stream', () => {
  it('of Chat Completions holds a call back until it is accepted', async () => {
    await using wire = await startWire({ script: STUMBLING });
    const stream = await wire.client.chat.completions.create({
      model: 'test',
      messages,
      tools: [order],
      tool_choice: named,
      stream: true,
    });
    let args = '';
    const starts: string[] = [];
    for await (const { choices } of stream) {
      for (const call of choices[0]?.delta.tool_calls ?? []) {
        if (call.id !== undefined) starts.push(call.id);
        args += call.function?.arguments ?? '';
      }
    }
    expect(starts).toHaveLength(1);
    expect(JSON.parse(args)).toEqual(RIGHT);
  });

  it.each([true, false])('of Responses has the accepted call, streamed: %s', async (isStreamed) => {
    await using wire = await startWire({ script: STUMBLING });
    const body = {
      model: 'test',
      input: 'Ines pays.',
      tools: [{ type: 'function' as const, name: 'order', parameters, strict: false }],
      tool_choice: { type: 'function' as const, name: 'order' },
    };
    const { output } = isStreamed
      ? await wire.client.responses.stream(body).finalResponse()
      : await wire.client.responses.create(body);
    const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    expect(calls).toMatchObject([{ name: 'order', arguments: JSON.stringify(RIGHT) }]);
  });
});

/** Bodies as the Python libraries send them by default. */
const PERSON = {
  type: 'object',
  title: 'Person',
  properties: { name: { title: 'Name', type: 'string' }, age: { title: 'Age', type: 'integer' } },
  required: ['name', 'age'],
};
const LIBRARIES: readonly (readonly [string, string, object])[] = [
  [
    'Instructor, mode TOOLS',
    'Person',
    {
      tools: [
        {
          type: 'function',
          function: {
            name: 'Person',
            description: 'Correctly extracted `Person` with all the required parameters with correct types',
            parameters: PERSON,
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'Person' } },
    },
  ],
  [
    'Pydantic AI, tool output',
    'final_result',
    {
      tools: [
        {
          type: 'function',
          function: {
            name: 'final_result',
            description: 'The final response which ends this conversation',
            parameters: PERSON,
          },
        },
      ],
      tool_choice: 'required',
      stream: false,
    },
  ],
];

it.each(LIBRARIES)(
  '%s gets valid arguments from an engine and from a service',
  async (_library, name, body) => {
    const person = { name: 'Ines', age: 34 };
    const scripts: readonly Partial<WireOptions>[] = [
      { ...ENGINE, script: [reply.json({ name: 'Ines' }), reply.json(person)] },
      { provider: 'openai chat', script: [reply.tool(name, { name: 'Ines' }), reply.tool(name, person)] },
    ];
    for (const options of scripts) {
      await using wire = await startWire({ script: [], ...options });
      const response = await fetch(`${wire.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test', messages, ...body }),
      });
      const completion = (await response.json()) as OpenAI.ChatCompletion; // the wire's own JSON
      const [call] = completion.choices[0]?.message.tool_calls ?? [];
      expect([response.status, call]).toMatchObject([200, { id: expect.any(String), function: { name } }]);
      expect(JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toEqual(person);
      expect(wire.upstream.turns).toHaveLength(2);
    }
  },
);
