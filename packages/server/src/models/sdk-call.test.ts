import { expect, it, vi } from 'vitest';
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { compatibleModel } from './resolve-model.ts';
import { streamStep } from './stream-step.ts';

vi.mock('ai', async (load) => ({
  ...(await load<object>()),
  experimental_streamLanguageModelCall: undefined,
}));

it('returns the same reply with a version of the SDK that has only `streamText`', async () => {
  const said = reply.steps([reply.text('Let me look.'), reply.tool('weather', { city: 'Oslo' })]);
  await using server = await scriptedModelServer({ script: [said, reply.error(529)] });
  const request = {
    model: {
      id: 'test:model',
      ...compatibleModel(openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' })),
    },
    messages: [{ role: 'user' as const, content: 'Hello' }],
    tools: [{ name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object' } }],
    signal: new AbortController().signal,
  };
  const { parts, finishReason, usage, modelId } = await streamStep(request);
  expect(parts).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_call', args: '{"city":"Oslo"}' },
  ]);
  expect({ finishReason, modelId }).toEqual({ finishReason: 'tool_calls', modelId: 'scripted' });
  expect(usage?.outputTokens).toBeGreaterThan(0);
  await expect(streamStep(request)).rejects.toMatchObject({ statusCode: 529 });
});
