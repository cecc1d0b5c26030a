import { describe, expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { resolveModel, type ModelEnvironment } from './resolve-model.ts';
import { streamStep } from './stream-step.ts';

const IDS = ['anthropic:claude-sonnet-4-5', 'openai:gpt-5', 'google:gemini-2.5-flash', 'local:qwen3:8b'];

it.each(IDS)('%s is called at the address from the environment, with its key', async (id) => {
  await using server = await scriptedModelServer({ script: [reply.text('Here.'), reply.text('Here.')] });
  const environment: ModelEnvironment = {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.anthropicUrl,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: server.openaiUrl,
    GOOGLE_GENERATIVE_AI_API_KEY: 'k',
    GOOGLE_GEMINI_BASE_URL: `${server.geminiUrl}/`,
    TRUECAST_BASE_URL: server.openaiUrl,
    TRUECAST_API_KEY: 'k',
  };
  const model = await resolveModel(id, environment);
  const signal = new AbortController().signal;
  const step = await streamStep({ model, messages: [{ role: 'user', content: 'Hi' }], tools: [], signal });
  expect(step.parts).toMatchObject([{ type: 'text', text: 'Here.' }]);
  expect(model.id).toBe(id);
  const { headers } = server.requests[0] ?? {};
  expect(JSON.stringify(headers)).toMatch(/"(?:x-api-key|x-goog-api-key)":"k"|"Bearer k"/u);
});

it.each([
  'claude-sonnet-5-5',
  'claude-opus-5-5',
  'claude-fable-5-2',
  'claude-opus-5',
  'claude-haiku-5-5',
  'claude-sonnet-4-6',
])('%s declares a forced choice exactly if its package sends one', async (name) => {
  await using server = await scriptedModelServer({ script: [reply.text('Here.')] });
  const environment = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.anthropicUrl };
  const model = await resolveModel(`anthropic:${name}`, environment);
  const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }];
  const messages = [{ role: 'user', content: 'Hi' } as const];
  const { signal } = new AbortController();
  await streamStep({ model, messages, tools, signal, toolChoice: 'required' });
  const isForced = (server.requests[0]?.body ?? '').includes('"tool_choice":{"type":"any"');
  expect(model.capabilities.takesRequiredChoice).toBe(isForced);
});

it.each([
  'gemini-1.5-flash',
  'gemini-2.0-flash',
  'gemini-2.5-pro',
  'gemini-pro',
  'gemini-flash-latest',
  'gemini-3-pro-preview',
  'gemini-3.8-flash',
])('%s declares search with other tools exactly if its package sends both', async (name) => {
  await using server = await scriptedModelServer({ script: [reply.text('Here.')] });
  const environment = { GOOGLE_GENERATIVE_AI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: server.geminiUrl };
  const model = await resolveModel(`google:${name}`, environment, ['web_search']);
  const { providerTools = {} } = model;
  const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }];
  const messages = [{ role: 'user', content: 'Hi' } as const];
  const { signal } = new AbortController();
  await streamStep({ model, messages, tools, providerTools, signal });
  const isSent = (server.requests[0]?.body ?? '').includes('"look"');
  expect(providerTools.web_search?.isMixable).toBe(isSent);
});

it('a model has the requested provider tools, and sends those that a step names', async () => {
  await using server = await scriptedModelServer({ script: () => reply.text('Here.') });
  const environment = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.openaiUrl };
  expect((await resolveModel('openai:gpt-5', environment)).providerTools).toEqual({});
  const model = await resolveModel('openai:gpt-5', environment, ['web_search']);
  const { providerTools = {} } = model;
  const rest = { model, messages: [], tools: [], signal: new AbortController().signal };
  await streamStep({ ...rest, messages: [{ role: 'user', content: 'Hi' }] });
  await streamStep({ ...rest, messages: [{ role: 'user', content: 'Hi' }], providerTools });
  expect(server.requests.map(({ body }) => body.includes('"web_search"'))).toEqual([false, true]);
});

describe('a model is refused', () => {
  it.each([
    ['gpt-5', /`provider:model`/u],
    ['mistral:large', /Expected one of the providers anthropic, openai, google, local/u],
    ['anthropic:claude-sonnet-4-5', /Set ANTHROPIC_API_KEY/u],
    ['openai:gpt-5', /Set OPENAI_API_KEY/u],
    ['google:gemini-2.5-flash', /Set GOOGLE_GENERATIVE_AI_API_KEY/u],
    ['local:qwen3', /Set TRUECAST_BASE_URL/u],
    ['http://localhost:1/v1#qwen3', /TRUECAST_BASE_URL to http:\/\/localhost:1\/v1, .* `local:qwen3`/u],
  ])('%s', async (id, message) => {
    const failure: unknown = await (async () => resolveModel(id, {}))().catch((error: unknown) => error);
    expect(UsageError.isInstance(failure) && failure.message).toMatch(message);
  });
});
