import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { MODELS } from '@truecast/model/internal/test-models';
import type { ModelScript } from '@truecast/testing/internal/scripted-model/model-script';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { aiSdkProvider, type AiSdkProviderOptions } from './ai-sdk-provider.ts';
import { manifestAgent } from '../agent/manifest-agent.ts';
import type { Provider } from './provider.ts';
import { CONTEST, JUDGE, manifestOf, turnOf } from '../agent/test-turns.ts';

const FOG = '{"kind":"agent.spoke","text":"Fog."}';
const usage = { inputTokens: 1_000, outputTokens: 10 };

function start(script: ModelScript): Promise<ScriptedModelServer> {
  return scriptedModelServer({ script, localServer: 'llama.cpp' });
}

function local(server: ScriptedModelServer, options: AiSdkProviderOptions = {}): Provider {
  return aiSdkProvider(openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }), options);
}

/** Creates a provider with one mode. */
function wordsOnly({ model, complete }: Provider): Provider {
  return { model, complete };
}

describe.each(Object.entries(MODELS))('with the provider of %s', (_name, makeModel) => {
  it('requests text, with the identity as the system message', async () => {
    await using server = await start([reply.text(FOG, { usage })]);
    const turn = turnOf();
    const provider = wordsOnly(aiSdkProvider(makeModel(server)));
    const act = await manifestAgent({ manifest: manifestOf(), provider }).act(turn);
    expect(act).toMatchObject({ payload: { text: 'Fog.' }, provenance: { path: 'prompted' } });
    const [system, ...others] = server.turns[0]?.messages ?? [];
    expect(JSON.stringify(system)).toContain('trust no ship');
    expect(system?.role).toBe('system');
    expect(JSON.stringify(others)).not.toContain('trust no ship');
    expect(server.turns[0]?.userText).toContain('OUTPUT FORMAT');
    expect(turn.charged).toMatchObject([{ code: 'ok', usage: { inputTokens: 1_000 } }]);
  });

  it('charges a failed text request, and retries it', async () => {
    await using server = await start([reply.error(503, { retryAfterSeconds: 0 }), reply.text(FOG)]);
    const turn = turnOf();
    const provider = wordsOnly(aiSdkProvider(makeModel(server)));
    await manifestAgent({ manifest: manifestOf(), provider }).act(turn);
    expect(turn.charged.map(({ code }) => code)).toEqual(['http', 'ok']);
  });
});

it('an event names the rules that the engine was not asked to hold', async () => {
  await using server = await scriptedModelServer({ script: [reply.text(FOG)] });
  const act = await manifestAgent({ manifest: manifestOf(), provider: local(server) }).act(turnOf());
  const rule = { path: ['properties', 'text', 'maxLength'], keyword: 'maxLength' };
  expect(act).toMatchObject({
    provenance: { rung: 'validated', unenforced: expect.arrayContaining([rule]) },
  });
});

it.each([
  ['a field that is missing twice', '{"kind":"agent.spoke","text":"Fog."}', 2],
  ['a text that is missing', '{"kind":"agent.spoke","mood":"calm"}', 4],
])('asks again for %s', async (_, said, calls) => {
  await using server = await start(() => reply.text(said));
  const manifest = manifestOf({ outputExtraFields: ['mood'] });
  const act = await manifestAgent({ manifest, provider: local(server) }).act(turnOf());
  expect(server.requests).toHaveLength(calls);
  if (calls === 2) expect(act).toMatchObject({ payload: { text: 'Fog.' }, provenance: { attempts: 2 } });
});

it('prices the calls of both ways', async () => {
  await using server = await start([reply.text('Well.', { usage }), reply.text(FOG, { usage })]);
  const prices = { inputUsdPerMillion: 1, outputUsdPerMillion: 0 };
  const turn = turnOf();
  const provider = local(server, { prices, maxRetries: 0 });
  await manifestAgent({ manifest: manifestOf(), provider }).act(turn);
  expect(turn.charged.map((call) => call.usage?.costUsd)).toEqual([0.001, 0.001]);
  expect(Object.keys(turn.charged[0] ?? {})).toEqual(['model', 'usage', 'durationMs', 'code']);
});

it('sends the temperature and the token limit both ways', async () => {
  await using server = await start([reply.text('Well.'), reply.text(FOG)]);
  const provider = local(server, { temperature: 0.3, maxOutputTokens: 99, maxRetries: 0 });
  await manifestAgent({ manifest: manifestOf(), provider }).act(turnOf());
  expect(server.requests).toHaveLength(2);
  for (const { body } of server.requests) {
    expect(JSON.parse(body)).toMatchObject({ temperature: 0.3, max_tokens: 99 });
  }
});

it('requests another winner in one request, even if the second answer is wrong', async () => {
  const first = { kind: 'judge.verdict', text: 'Zed.', winner: 'Zed', scores: {} };
  let calls = 0;
  await using server = await start(({ tools: [tool] }) => {
    calls += 1;
    if (calls > 1) return reply.text('Bob, I suppose.');
    return tool === undefined ? reply.text(JSON.stringify(first)) : reply.tool(tool.name, { output: first });
  });
  const turn = turnOf();
  const act = await manifestAgent({ manifest: JUDGE, provider: local(server), scenario: CONTEST }).act(turn);
  expect(act).toMatchObject({ payload: { text: 'Zed.', no_contest: { reason: 're-ask-failed' } } });
  expect(turn.charged).toHaveLength(2);
});

it('fills a thought with the reasoning of the service, both ways', async () => {
  const manifest = manifestOf({ outputExtraFields: ['thought'] });
  const empty = '{"kind":"agent.spoke","text":"Fog.","thought":""}';
  await using server = await start(() => reply.steps([reply.thinking('She lies.'), reply.text(empty)]));
  const provider = aiSdkProvider((MODELS['anthropic'] ?? unknownModel)(server));
  for (const each of [provider, wordsOnly(provider)]) {
    const act = await manifestAgent({ manifest, provider: each }).act(turnOf());
    expect(act).toMatchObject({ payload: { text: 'Fog.', thought: 'She lies.' } });
  }
});

function unknownModel(): never {
  throw new RangeError('no such model');
}

it('reads nothing from a reply that its service withheld, both ways', async () => {
  const withheld = {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: FOG }, finish_reason: 'content_filter' }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(withheld));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const turn = turnOf();
  const provider = aiSdkProvider(openAICompatible({ baseURL: `http://127.0.0.1:${port}/v1`, model: 'm' }));
  const act = await manifestAgent({ manifest: manifestOf(), provider }).act(turn);
  server.close();
  expect(act).toMatchObject({ type: 'skipped', provenance: { rung: 'raw' } });
  expect(new Set(turn.charged.map(({ code }) => code))).toEqual(new Set(['not-produced']));
});

it('ends with the signal’s reason during a model call', async () => {
  await using server = await start(() => reply.delay(60_000, reply.text(FOG)));
  for (const provider of [local(server), wordsOnly(local(server))]) {
    const controller = new AbortController();
    const reason = new RangeError('enough');
    const acting = manifestAgent({ manifest: manifestOf(), provider }).act(
      turnOf({ signal: controller.signal }),
    );
    setTimeout(() => controller.abort(reason), 50);
    await expect(acting).rejects.toBe(reason);
  }
});

it.each([
  [{ maxRetries: -1 }, /maxRetries/u],
  [{ maxRetries: 1.5 }, /maxRetries/u],
])('refuses %j', (options, message) => {
  expect(() =>
    aiSdkProvider(openAICompatible({ baseURL: 'http://127.0.0.1:1/v1', model: 'm' }), options),
  ).toThrow(message);
  expect(() => aiSdkProvider({} as never)).toThrow(/language model/u);
});

it('reports the growing text of an answer, and only the text', async () => {
  await using server = await start([reply.text('{"kind":"agent.spoke","text":"The lamp hums."}')]);
  const texts: string[] = [];
  const turn = turnOf({ onText: (text) => texts.push(text) });
  await manifestAgent({ manifest: manifestOf(), provider: local(server) }).act(turn);
  expect(texts.at(-1)).toBe('The lamp hums.');
  expect(texts.every((text) => 'The lamp hums.'.startsWith(text))).toBe(true);
  expect(server.requests[0]?.body).toContain('"stream":true');
});
