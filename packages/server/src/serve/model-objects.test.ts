/** Tests of a server whose models are objects of the AI SDK. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '@truecast/client/internal/create-client';
import { Output } from '@truecast/core/internal/output/output';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { MODELS } from '@truecast/model/internal/test-models';
import { modelOfObject, nameModels } from '../models/given-models.ts';
import { createChatServer, type ChatServerOptions } from './create-chat-server.ts';

const COUNT = Output.object({ schema: z.object({ count: z.number() }) });
const PLACE = { environment: {}, port: 0, databaseUrl: ':memory:' };
const NAMES: Readonly<Record<string, string>> = {
  anthropic: 'anthropic:claude-sonnet-4-5',
  'openai responses': 'openai:gpt-5',
  'openai chat': 'openai:gpt-5',
  google: 'google:gemini-2.5-flash',
  'openai compatible': 'openai-compatible:scripted',
};

describe('a server with a model object', () => {
  it.each(Object.entries(MODELS))('of %s answers, and lists its name', async (provider, makeModel) => {
    await using model = await scriptedModelServer({
      script: ({ tools }) =>
        tools.length > 0
          ? reply.tool('submit_structured_output', { output: { count: 4 } })
          : reply.text('{"count":4}'),
    });
    await using server = await createChatServer({ ...PLACE, models: [makeModel(model)] });
    expect(server.models).toEqual([NAMES[provider]]);
    const { token } = await server.createToken({ name: 'test' });
    const chat = createClient({ baseURL: server.url, token }).chat();
    expect((await chat.ask({ prompt: 'How many pears?', output: COUNT })).output).toEqual({ count: 4 });
    expect(model.turns).toHaveLength(1);
  });
});

describe('the names of models', () => {
  const model = openAICompatible({ baseURL: 'http://127.0.0.1:2/v1', model: 'qwen3:8b' });

  it('are those of the list, in its order, each once', () => {
    const { names, given } = nameModels(['local:a', model, 'local:a', model]);
    expect(names).toEqual(['local:a', 'openai-compatible:qwen3:8b']);
    expect([...given.values()]).toEqual([model]);
  });

  it('carry the facts of their provider', () => {
    const [anthropic = model] = nameModels([
      MODELS['anthropic']!({ anthropicUrl: 'http://127.0.0.1:2', openaiUrl: '', geminiUrl: '' }),
    ]).given.values();
    expect(modelOfObject('a', anthropic)).toMatchObject({
      capabilities: { takesRequiredChoiceThinking: false, canStopThinking: true },
      contextTokens: 200_000,
    });
    expect(modelOfObject('b', model).capabilities.isLearned).toBe(true);
  });

  it.each<[title: string, models: unknown, told: RegExp]>([
    [
      'two of one name',
      [model, openAICompatible({ baseURL: 'http://127.0.0.1:3/v1', model: 'qwen3:8b' })],
      /different names, got two as `openai-compatible:qwen3:8b`/u,
    ],
    [
      'a number',
      [7],
      /`models\[0\]` to be a name as `provider:model`, or a language model of the AI SDK, got `7`/u,
    ],
    ['no model', [{ provider: 'a' }], /`models\[0\]`/u],
    ['one outside of a list', model, /`models`: /u],
    ['an empty list', [], /`models`: /u],
  ])('are refused for %s', async (_, models, told) => {
    const options: ChatServerOptions = { ...PLACE, models: models as readonly GenerateModel[] };
    await expect(createChatServer(options)).rejects.toThrow(told);
  });
});
