import { createGoogle } from '@ai-sdk/google';
import { describe, expect, it } from 'vitest';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { MODELS } from '@truecast/model/internal/test-models';
import type { ModelScript } from '@truecast/testing/internal/scripted-model/model-script';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import type { ChatModel } from './chat-model.ts';
import type { LivePart, StepRequest } from './step-request.ts';
import { streamStep } from './stream-step.ts';

const CAPABLE: ChatModel['capabilities'] = {
  takesTools: true,
  takesRequiredChoice: true,
  takesRequiredChoiceThinking: true,
  takesNativeSchema: true,
  isThinking: false,
  canStopThinking: false,
};
const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const exact = Object.entries(MODELS).filter(([name]) => name !== 'google');

function start(script: ModelScript): Promise<ScriptedModelServer> {
  return scriptedModelServer({ script });
}

function toChatModel(model: ChatModel['model'], hasExactArguments: boolean): ChatModel {
  return { id: 'test:model', model, capabilities: CAPABLE, hasExactArguments };
}

function request(model: ChatModel, more: Partial<StepRequest> = {}): StepRequest {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  return { model, messages, tools: [weather], signal: new AbortController().signal, ...more };
}

describe.each(Object.entries(MODELS))('a step with the provider of %s', (name, makeModel) => {
  const modelOf = (server: ScriptedModelServer): ChatModel =>
    toChatModel(makeModel(server), name !== 'google');

  it('returns text and calls in order, with their usage', async () => {
    await using server = await start([
      reply.steps([reply.text('Let me look.'), reply.tool('weather', { city: 'Oslo' })]),
    ]);
    const live: LivePart[] = [];
    const step = await streamStep(request(modelOf(server), { onLivePart: (part) => live.push(part) }));
    expect(step.parts).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_call', tool_name: 'weather', args: '{"city":"Oslo"}' },
    ]);
    expect(step).toMatchObject({ finishReason: 'tool_calls' });
    expect(step.usage?.outputTokens).toBeGreaterThan(0);
    const said = live.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('');
    expect(said).toBe('Let me look.');
  });

  it('requires a tool, and returns a reply without one', async () => {
    await using server = await start([reply.text('I would rather not.')]);
    const step = await streamStep(request(modelOf(server), { toolChoice: 'required' }));
    expect(step).toMatchObject({
      finishReason: 'stop',
      parts: [{ type: 'text', text: 'I would rather not.' }],
    });
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/required|"any"|ANY/u);
  });

  it('keeps the received part when it is interrupted', async () => {
    const controller = new AbortController();
    await using server = await start([reply.text('one two three four five six', { chunkChars: 4 })]);
    const step = await streamStep(
      request(modelOf(server), { signal: controller.signal, onLivePart: () => controller.abort() }),
    );
    expect(step.finishReason).toBe('interrupted');
    expect(step.parts).toEqual([expect.objectContaining({ type: 'text' })]);
  });

  it('fails when the stream is cut', async () => {
    await using server = await start([
      reply.cut({ afterChunks: 2 }, reply.text('one two three', { chunkChars: 2 })),
    ]);
    const failure: unknown = await streamStep(request(modelOf(server))).catch((error: unknown) => error);
    expect(ModelError.isInstance(failure) && failure.code).toBe('stream');
  });

  it('returns the refusal of the service with its status', async () => {
    await using server = await start([reply.error(529)]);
    await expect(streamStep(request(modelOf(server)))).rejects.toMatchObject({ statusCode: 529 });
  });

  it('aborts a silent service', async () => {
    await using server = await start([reply.delay(60_000, reply.text('late'))]);
    const failure: unknown = await streamStep(request(modelOf(server), { silenceMs: 200 })).catch(
      (error: unknown) => error,
    );
    expect(ModelError.isInstance(failure) && failure.message).toMatch(/sent nothing for 200 ms/u);
  });

  it('rejects an answer that exceeds its limit, and disconnects', async () => {
    const hungUp = Promise.withResolvers<void>();
    await using server = await start(({ signal }) => {
      signal.addEventListener('abort', () => hungUp.resolve(), { once: true });
      const endless = reply.text('ä'.repeat(60_000), { chunkChars: 100 });
      return reply.cut({ afterChunks: 300, isSilent: true }, endless);
    });
    let seen = 0;
    const failed = streamStep(
      request(modelOf(server), {
        maxReplyBytes: 10_000,
        onLivePart: (part) => void (seen += part.type === 'text-delta' ? part.text.length : 0),
      }),
    );
    await expect(failed).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('at most 10000 bytes') as string,
    });
    expect([seen > 4_000, seen <= 4_950]).toEqual([true, true]);
    await hungUp.promise;
  });

  it('reports that the answer reached its limit', async () => {
    await using server = await start([reply.text('cut here', { finishReason: 'length' })]);
    await expect(streamStep(request(modelOf(server)))).resolves.toMatchObject({ finishReason: 'length' });
  });
});

describe.each(exact)('the arguments of a call by %s', (_name, makeModel) => {
  it.each(['{"city": 12345678901234567890123}', '{"city":"a","city":"b"}', '{"city": "cut'])(
    'are unchanged: %s',
    async (text) => {
      await using server = await start([reply.toolText('weather', text, { chunkChars: 3 })]);
      const step = await streamStep(request(toChatModel(makeModel(server), true)));
      expect(step.parts).toMatchObject([{ type: 'tool_call', args: text }]);
      expect(step.parts[0]).not.toHaveProperty('numbers_exact');
    },
  );

  it('are cut at the maximum depth, and the usage is known', async () => {
    const deep = `{"city":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    await using server = await start([reply.toolText('weather', deep)]);
    const { finishReason, parts, usage } = await streamStep(request(toChatModel(makeModel(server), true)));
    expect(parts).toMatchObject([{ type: 'tool_call', args: deep.slice(0, 1_000) }]);
    expect(finishReason).toBe('tool_calls');
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });
});

it('reports possibly lost digits if the adapter serializes arguments again', async () => {
  await using server = await start([reply.tool('weather', { city: 'Oslo' })]);
  const model = createGoogle({ baseURL: `${server.geminiUrl}/v1beta`, apiKey: 'test' })('gemini-2.5-flash');
  const step = await streamStep(request(toChatModel(model, false)));
  expect(step.parts).toMatchObject([{ type: 'tool_call', numbers_exact: false }]);
});

describe('a reply that runs away', () => {
  const runaway = reply.text(`{"a": 1,${' \n'.repeat(4_000)}"b": 2}`);
  const native = {
    tools: [],
    nativeSchema: { name: 'answer', schema: { ...weather.inputSchema, additionalProperties: false } },
  };

  it.each(exact)('is ended with the provider of %s, without usage', async (_, makeModel) => {
    await using server = await start([runaway]);
    const step = await streamStep(request(toChatModel(makeModel(server), true), native));
    expect(step).toMatchObject({ finishReason: 'runaway', usage: undefined });
    expect(JSON.stringify(step.parts).length).toBeLessThan(6_000);
  });

  it('is taken as it comes without the setting, and as text', async () => {
    await using server = await start([runaway, runaway]);
    const [[, makeModel]] = Object.entries(MODELS) as [[string, (typeof exact)[0][1]]];
    const model = toChatModel(makeModel(server), true);
    const asks = [
      request({ ...model, endRunaways: false }, native),
      request({ ...model, endRunaways: false }),
    ];
    for (const ask of asks) expect(await streamStep(ask)).toMatchObject({ finishReason: 'stop' });
  });
});
