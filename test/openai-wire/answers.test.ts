/**
 * Tests of the wire: validated values are returned exactly, text requests reach the provider
 * unchanged, failures are reported once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { startWire, submit, type Wire } from './start-wire.ts';

const messages = [{ role: 'user' as const, content: 'Which city?' }];
const look = {
  type: 'function' as const,
  function: { name: 'look', parameters: { type: 'object', properties: { place: { type: 'string' } } } },
};

/** Posts a body and returns the status and the response. */
async function post(
  { url }: Wire,
  body: object,
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test', messages, ...body }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function format(schema: object, strict?: boolean): OpenAI.ResponseFormatJSONSchema {
  return {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { ...schema }, ...(strict !== undefined && { strict }) },
  };
}

async function contentOf(wire: Wire, response_format: object): Promise<string | null | undefined> {
  const { status, text } = await post(wire, { response_format });
  expect(status).toBe(200);
  const completion = JSON.parse(text) as OpenAI.ChatCompletion;
  return completion.choices[0]?.message.content;
}

describe('the value', () => {
  it('keeps all digits of its numbers, and is canonical', async () => {
    const args = '{"output": {"b": 12345678901234567890123, "a": 1.10}}';
    await using wire = await startWire({ script: [reply.toolText(FINALIZER_NAME, args)] });
    expect(await contentOf(wire, format({ type: 'object' }))).toBe('{"a":1.1,"b":12345678901234567890123}');
  });

  it.each([
    ['a list', { type: 'array', items: { type: 'integer' } }, [1, 2, 3], '[1,2,3]'],
    ['a number', { type: 'integer' }, 7, '7'],
    ['a text', { type: 'string', enum: ['yes', 'no'] }, 'yes', '"yes"'],
    [
      'one of two objects',
      { anyOf: [{ type: 'object', required: ['a'] }, { type: 'null' }] },
      { a: 1 },
      '{"a":1}',
    ],
    [
      'what a definition says',
      { $ref: '#/$defs/list', $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } } },
      [[], [[]]],
      '[[],[[]]]',
    ],
  ])('may be %s', async (_name, schema, value, text) => {
    await using wire = await startWire({ script: [submit({ value })] });
    expect(await contentOf(wire, format(schema))).toBe(text);
  });

  it.each(['ollama', 'llama.cpp', 'vllm', 'lm-studio'] as const)(
    'is the text of a model whose server ignores a required call, in the first call: %s',
    async (localServer) => {
      const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      for (const said of ['{"n":7}', '```json\n{"n":7}\n```']) {
        await using wire = await startWire({
          localServer,
          capabilities: { takesRequiredChoice: true },
          script: () => reply.text(said),
        });
        expect(await contentOf(wire, format(schema))).toBe('{"n":7}');
        expect(wire.upstream.requests).toHaveLength(1);
      }
    },
  );

  it('is missing after three calls of a function that was not offered', async () => {
    await using wire = await startWire({ script: () => reply.tool('nope', {}) });
    const asked = wire.client.chat.completions.create({
      model: 'test',
      messages,
      response_format: format({ type: 'object' }),
    });
    await expect(asked).rejects.toMatchObject({ status: 422, error: { reason: 'unknown_tool' } });
    expect(wire.upstream.requests).toHaveLength(3);
  });

  it('is validated even if the caller requested less', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    await using wire = await startWire({
      script: [submit({ n: 'x' }), submit({ n: 1 }), submit([]), submit({})],
    });
    expect(await contentOf(wire, format(schema, false))).toBe('{"n":1}');
    expect(await contentOf(wire, { type: 'json_object' })).toBe('{}');
  });

  it.each([
    ['a required call', 'required', 'anthropic', { takesRequiredChoice: true }, 'any'],
    ['a required call', 'required', 'openai responses', { takesRequiredChoice: true }, 'required'],
    ['a required call', 'required', 'openai chat', { takesRequiredChoice: true }, 'required'],
    ['a required call', 'required', 'google', { takesRequiredChoice: true }, 'ANY'],
  ])('is asked for by %s (%s) of %s', async (_name, _mode, provider, capabilities, word) => {
    await using wire = await startWire({
      provider,
      capabilities,
      script: [reply.tool(FINALIZER_NAME, { output: { n: 1 } })],
    });
    expect(await contentOf(wire, format({ type: 'object' }))).toBe('{"n":1}');
    expect(wire.upstream.requests[0]?.body).toContain(`"${word}"`);
  });

  it.each([
    ['an object', { type: 'object', properties: { n: { type: 'integer' } } }, '{"n": 1.0}', '{"n":1}'],
    [
      'a map, which it lists',
      { type: 'object', additionalProperties: { type: 'integer' } },
      '{"output":[{"key":"a","value":1}]}',
      '{"a":1}',
    ],
  ])('comes from the provider’s schema mode if the model has no tools: %s', async (...given) => {
    const [, schema, answer, text] = given;
    await using wire = await startWire({
      provider: 'openai chat',
      capabilities: { takesTools: false, takesNativeSchema: true },
      script: [reply.text(answer)],
    });
    expect(await contentOf(wire, format(schema))).toBe(text);
    expect(wire.upstream.failures).toEqual([]);
  });

  it('is requested in another way if a service refuses the declared one', async () => {
    await using wire = await startWire({
      capabilities: { takesRequiredChoice: true },
      script: [reply.error(400, { message: 'tool_choice is not supported' }), submit({ n: 1 })],
    });
    expect(await contentOf(wire, format({ type: 'object' }))).toBe('{"n":1}');
    expect(wire.upstream.requests[1]?.body).not.toContain('"tool_choice":"required"');
  });
});

describe('tools of the caller', () => {
  it('are called, one at a time if requested', async () => {
    const both = reply.steps([reply.tool('look', { place: 'a' }), reply.tool('look', { place: 'b' })]);
    await using wire = await startWire({ script: () => both });
    for (const [parallel_tool_calls, count] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const { choices } = await wire.client.chat.completions.create({
        model: 'test',
        messages,
        tools: [look],
        parallel_tool_calls,
      });
      expect(choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: { tool_calls: { length: count } },
      });
    }
  });

  it('are called before the answer if required, and no call is invented', async () => {
    await using wire = await startWire({
      capabilities: { takesRequiredChoice: true },
      script: [reply.text('No.'), submit({ n: 1 })],
    });
    const { choices } = await wire.client.chat.completions.create({
      model: 'test',
      messages,
      tools: [look],
      tool_choice: { type: 'function', function: { name: 'look' } },
      response_format: format({ type: 'object' }),
    });
    expect(choices[0]?.message.content).toBe('{"n":1}');
    const offered = wire.upstream.turns.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([['look'], ['look', FINALIZER_NAME]]);
  });

  it('are not offered if it wants none, and an invented call is reported to the model', async () => {
    await using wire = await startWire({ script: [reply.tool('dream', {}), submit({ n: 1 })] });
    const { choices } = await wire.client.chat.completions.create({
      model: 'test',
      messages,
      tools: [look],
      tool_choice: 'none',
      response_format: format({ type: 'object' }),
    });
    expect(choices[0]?.message.content).toBe('{"n":1}');
    expect(wire.upstream.turns[1]?.lastToolResult?.text).toContain('no tool of that name');
  });
});

it('passes a text request to the provider with its settings and no additions', async () => {
  await using wire = await startWire({ script: [reply.text('Hi.')] });
  await wire.client.chat.completions.create({
    model: 'test',
    messages: [{ role: 'developer', content: 'Be short.' }, ...messages],
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    seed: 7,
    stop: ['END'],
    max_completion_tokens: 50,
    metadata: { any: 'thing' },
    user: 'me',
  });
  expect(JSON.parse(wire.upstream.requests[0]?.body ?? '')).toEqual({
    model: 'scripted',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Which city?' },
    ],
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    seed: 7,
    stop: ['END'],
    max_tokens: 50,
  });
});

it.each(['openai chat', 'openai compatible'])(
  'passes images to %s, and fetches none itself',
  async (provider) => {
    await using elsewhere = await scriptedModelServer({ script: [] });
    await using wire = await startWire({ provider, script: [reply.text('A dot.')] });
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const address = `${elsewhere.url}/a.png`;
    const content = [address, png].map((url) => ({ type: 'image_url' as const, image_url: { url } }));
    await wire.client.chat.completions.create({ model: 'test', messages: [{ role: 'user', content }] });
    expect(wire.upstream.requests[0]?.body).toContain(`"${address}"`);
    expect(wire.upstream.requests[0]?.body).toContain(png);
    expect(elsewhere.requests).toEqual([]);
  },
);

const wav = 'UklGRg==';
const pdf = 'data:application/pdf;base64,JVBERi0=';

it('passes on every kind of message', async () => {
  await using wire = await startWire({
    provider: 'openai chat',
    script: [reply.text('Done.'), reply.text('Done.')],
  });
  await wire.client.chat.completions.create({
    model: 'test',
    tools: [look],
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: ' Two.' },
        ],
      },
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'Hear.' },
          { type: 'input_audio', input_audio: { data: wav, format: 'wav' } },
          { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
      { role: 'user', content: 'Try.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'look', arguments: '{"place":"x"}' },
        })),
      },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'Seen b.' }] },
      { role: 'tool', tool_call_id: 'a', content: 'Seen a.' },
      { role: 'developer', content: 'Three.' },
    ],
  });
  const told = wire.upstream.requests[0]?.body ?? '';
  for (const text of ['One. Two.', 'Hear.', wav, pdf, 'I cannot.', 'Try.', 'Seen a.', 'Seen b.', 'Three.']) {
    expect(told).toContain(text);
  }
  expect(told.match(/"place\\":\\"x/gu)).toHaveLength(2);
  await wire.client.responses.create({
    model: 'test',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hear.' },
          { type: 'input_file', file_data: pdf, filename: 'a.pdf' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{"place":"x"}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'Seen a.' }] },
    ],
  });
  const second = wire.upstream.requests[1]?.body ?? '';
  for (const text of ['Hear.', pdf, 'iVBORw0KGgo=', 'I look.', 'Seen a.']) expect(second).toContain(text);
  expect(wire.upstream.failures).toEqual([]);
});

describe('a failure of the model', () => {
  it.each([
    [401, 424, 'model_access', 1],
    [403, 424, 'model_access', 1],
    [404, 400, 'model_refused_request', 1],
    [400, 400, 'model_refused_request', 1],
    [413, 400, 'context_length_exceeded', 1],
    [503, 424, 'model_unavailable', 3],
  ])('with status %i is reported as %i %s, once', async (upstream, status, code, calls) => {
    await using wire = await startWire({ script: () => reply.error(upstream) });
    const asked = wire.client.chat.completions.create({ model: 'test', messages });
    await expect(asked).rejects.toMatchObject({ status, code });
    expect(wire.calls).toHaveLength(1);
    expect(wire.upstream.requests).toHaveLength(calls);
  });

  it('with a retry-after is passed on, and the client waits and retries', async () => {
    await using wire = await startWire({
      script: [reply.error(429, { retryAfterSeconds: 11 }), reply.text('Now.')],
    });
    const { status, headers } = await post(wire, {});
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([429, '11', 'true']);
  });

  it('that ends a text stream is an error in the client, not a short answer', async () => {
    await using wire = await startWire({
      script: [reply.cut({ afterChunks: 3 }, reply.text('one two three four', { chunkChars: 3 }))],
    });
    const stream = wire.client.chat.completions.stream({ model: 'test', messages });
    await expect(stream.finalChatCompletion()).rejects.toThrow(/cannot be reached/u);
    expect(wire.upstream.requests).toHaveLength(1);
  });

  it('after the start of a responses stream is reported as failed', async () => {
    await using wire = await startWire({
      script: [reply.cut({ afterChunks: 3 }, reply.text('one two three four', { chunkChars: 3 }))],
    });
    const events = await wire.client.responses.create({ model: 'test', input: 'Hi', stream: true });
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types.at(-1)).toBe('response.failed');
  });
});

describe('a stream', () => {
  it('starts with the role, sends keep-alives, and ends with the value, the finish reason and the usage', async () => {
    await using wire = await startWire({
      script: [reply.delay(2_600, submit({ text: 'x'.repeat(3_000) }))],
      ports: { limits: { keepAliveMs: 100 } },
    });
    const { text, headers } = await post(wire, {
      stream: true,
      stream_options: { include_usage: true },
      response_format: format({ type: 'object' }),
    });
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = text.split('\n\n').filter((event) => event !== '');
    expect(events[0]).toContain('"role":"assistant"');
    expect(events[1]).toBe(': keep-alive');
    const told = events.filter((event) => event.includes('"content":"') && !event.includes('"role"'));
    expect(told.length).toBeGreaterThan(2);
    expect(events.at(-3)).toContain('"finish_reason":"stop"');
    expect(events.at(-2)).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":/u);
    expect(events.at(-1)).toBe('data: [DONE]');
  });

  it('that fails late sends an error event, and the client does not repeat the request', async () => {
    await using wire = await startWire({ script: [reply.delay(2_600, reply.error(401))] });
    const stream = wire.client.chat.completions.stream({
      model: 'test',
      messages,
      response_format: format({}),
    });
    await expect(stream.finalChatCompletion()).rejects.toMatchObject({ code: 'model_access' });
    expect(wire.calls).toHaveLength(1);
  });
});

describe('the work ends', () => {
  it.each([true, false])('when the caller disconnects; streamed: %s', async (stream) => {
    let aborted = false;
    await using wire = await startWire({
      script: (turn) => {
        turn.signal.addEventListener('abort', () => {
          aborted = true;
        });
        return reply.delay(60_000, reply.text('late'));
      },
    });
    const leaving = new AbortController();
    const asked = wire.client.chat.completions.create(
      { model: 'test', messages, stream, response_format: format({}) },
      { signal: leaving.signal },
    );
    const told = asked.catch((error: unknown) => error);
    while (wire.upstream.turns.length === 0) await sleep(20);
    leaving.abort();
    await told;
    for (let waited = 0; !aborted && waited < 100; waited += 1) await sleep(50);
    expect(aborted).toBe(true);
  });

  it('when the server stops, and the caller gets an error', async () => {
    const stopping = new AbortController();
    await using wire = await startWire({
      script: [reply.delay(60_000, reply.text('late'))],
      ports: { signal: stopping.signal },
    });
    const asked = post(wire, {});
    while (wire.upstream.turns.length === 0) await sleep(20);
    stopping.abort();
    const { status, text, headers } = await asked;
    expect([status, headers.get('x-should-retry')]).toEqual([503, 'false']);
    expect(text).toContain('"interrupted"');
  });
});
