import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { Output } from '@truecast/core/internal/output/output';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../testing/src/scripted-model/turn/scripted-turn.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';
import { MODELS } from './test-models.ts';

const output = Output.object({ schema: z.object({ moons: z.number(), note: z.string().optional() }) });
const prompt = 'How many moons has Mars?';

/** In a dialect without optional keys, the model must write them as null. */
function nativeReply({ jsonSchema }: ScriptedTurn): ScriptedReply {
  const mustTellAll = JSON.stringify(jsonSchema).includes('null');
  return reply.text(JSON.stringify({ moons: 2, ...(mustTellAll && { note: null }) }));
}

function start(script: ModelScript): Promise<ScriptedModelServer> {
  return scriptedModelServer({ script });
}

function local(server: ScriptedModelServer): ReturnType<typeof openAICompatible> {
  return openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
}

describe.each(Object.entries(MODELS))('with the provider of %s', (_name, makeModel) => {
  it('accepts the native answer under the schema', async () => {
    await using server = await start([nativeReply]);
    const result = await generate({ model: makeModel(server), prompt, output });
    expect(result.output).toEqual({ moons: 2 });
    expect(result.provenance).toMatchObject({ mode: 'native', attempts: [{ code: 'ok' }] });
    expect(result.usage?.outputTokens).toBeGreaterThan(0);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('moons');
  });

  it('accepts the tool’s input', async () => {
    await using server = await start([
      reply.tool('submit_structured_output', { output: { moons: 'two' } }),
      reply.tool('submit_structured_output', { output: { moons: 2 } }),
    ]);
    const result = await generate({ model: makeModel(server), prompt, output, mode: 'tool' });
    expect(result.output).toEqual({ moons: 2 });
    expect(result.provenance).toMatchObject({
      mode: 'tool',
      raw: '{"moons":2}',
      attempts: [{ code: 'schema-mismatch' }, { code: 'ok' }],
    });
    expect(server.turns[1]?.lastToolResult?.text).toContain('moons');
  });

  it('asks anew after a text, and gives a wrong value back, until the json is right', async () => {
    await using server = await start([
      reply.text('There are two.'),
      reply.text('{"moons":"two"}'),
      reply.text('```json\n{"moons":2}\n```'),
    ]);
    const result = await generate({ model: makeModel(server), prompt, output, mode: 'json' });
    expect(result.output).toEqual({ moons: 2 });
    expect(result.provenance.attempts.map(({ code }) => code)).toEqual([
      'invalid-json',
      'schema-mismatch',
      'ok',
    ]);
    expect(server.turns[0]?.userText).toContain('of this type:\n{ "moons": number, "note"?: string }');
    expect(server.turns[1]?.messages).toEqual(server.turns[0]?.messages);
    // The answer of the demonstration, and the wrong value.
    expect(server.turns[2]?.messages.filter(({ role }) => role === 'assistant')).toHaveLength(2);
    expect(server.turns[2]?.userText).toContain('moons');
  });

  it('uses the last tag', async () => {
    await using server = await start([
      reply.text('So: <result>{"moons":1}</result> no, <result>{"moons":2}</result>'),
    ]);
    const tagged = Output.object({ tag: 'result', schema: z.object({ moons: z.number() }) });
    const result = await generate({ model: makeModel(server), prompt, output: tagged });
    expect(result.output).toEqual({ moons: 2 });
    expect(result.provenance.mode).toBe('tag');
    expect(server.turns[0]?.userText).toBe(prompt);
  });

  it('reports that a reply was cut at the token limit', async () => {
    await using server = await start(() => reply.text('{"moons":', { finishReason: 'length' }));
    const failing = generate({ model: makeModel(server), prompt, output, maxCorrections: 1 });
    const error = await failing.catch((caught: unknown) => caught);
    expect(StructuredOutputError.isInstance(error) && error.code).toBe('truncated');
    expect(error).toMatchObject({ attempts: [{ code: 'truncated' }, { code: 'truncated' }] });
  });

  it('waits for the time that a busy service requests, and does not count it as an attempt', async () => {
    await using server = await start([reply.error(429, { retryAfterSeconds: 1 }), nativeReply]);
    const startedMs = performance.now();
    const result = await generate({ model: makeModel(server), prompt, output, maxCorrections: 0 });
    expect(performance.now() - startedMs).toBeGreaterThan(950);
    expect(result.provenance.attempts).toHaveLength(1);
  });
});

it('retries when a reply ends early', async () => {
  await using server = await start([reply.cut({ afterChunks: 1 }), nativeReply]);
  const result = await generate({ model: local(server), prompt, output, maxCorrections: 0 });
  expect(result.output).toEqual({ moons: 2 });
});

it('reports that a refused reply contains no answer', async () => {
  await using server = await start(() => reply.text('I cannot help with that.'));
  const asked = { model: local(server), prompt, output, maxCorrections: 1 };
  await expect(generate(asked)).rejects.toMatchObject({
    code: 'not-produced',
    attempts: [{ code: 'invalid-json', rawMatched: 'I cannot help with that.' }, { code: 'not-produced' }],
  });
});

it.each([
  ['message', 400, 'http'],
  ['overload', 503, 'http'],
  ['rate limit', 429, 'rate-limit'],
])('distinguishes failures of the service: %s', async (message, statusCode, code) => {
  await using server = await start(() => reply.error(statusCode, { message, retryAfterSeconds: 0 }));
  await expect(generate({ model: local(server), prompt, output })).rejects.toMatchObject({
    name: 'ModelError',
    code,
    statusCode,
    attempts: [],
  });
  // After status 400 the tool mode shows that the schema was not the reason.
  expect(server.turns).toHaveLength(statusCode === 400 ? 2 : 3);
});

describe('what a server does not support', () => {
  it('falls back to the next mode, and is remembered', async () => {
    await using server = await start((turn) => {
      if (turn.jsonSchema !== undefined) {
        return reply.error(400, { message: "response_format 'json_schema' is not supported" });
      }
      if (turn.tools.length > 0) return reply.error(400, { message: 'This model does not support tools' });
      return reply.text('{"moons":2}');
    });
    const model = local(server);
    const first = await generate({ model, prompt, output });
    expect(first.provenance).toMatchObject({ mode: 'json', attempts: [{ code: 'ok' }] });
    expect(server.turns).toHaveLength(3);
    await generate({ model, prompt, output });
    expect(server.turns).toHaveLength(4);
  });

  it('is an error if the mode was requested', async () => {
    await using server = await start(() =>
      reply.error(400, { message: "response_format 'json_schema' is not supported" }),
    );
    await expect(generate({ model: local(server), prompt, output, mode: 'native' })).rejects.toMatchObject({
      name: 'ModelError',
      code: 'http',
      statusCode: 400,
    });
    expect(server.turns).toHaveLength(1);
  });
});

it('sums the usage of all tries, and prices it once', async () => {
  const usage = { inputTokens: 10, outputTokens: 1 };
  await using server = await start([reply.text('no', { usage }), reply.text('{"moons":2}', { usage })]);
  const prices = { inputUsdPerMillion: 0.1, outputUsdPerMillion: 0.2 };
  const result = await generate({ model: local(server), prompt, output, mode: 'json', prices });
  expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 2 });
  expect(result.usage?.costUsd).toBeCloseTo(2.4e-6, 12);
  expect(result.provenance.attempts[0]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 1 });
});

it('starts no attempt that exceeds the budget', async () => {
  const usage = { inputTokens: 60, outputTokens: 1 };
  await using server = await start(() => reply.text('no', { usage }));
  const asked = { model: local(server), prompt, output, mode: 'json', maxCorrections: 9 } as const;
  const error: unknown = await generate({ ...asked, budget: { tokens: 100 } }).catch(
    (caught: unknown) => caught,
  );
  expect(error).toMatchObject({ code: 'invalid-json', usage: { inputTokens: 120 } });
  expect(server.turns).toHaveLength(2);
  await expect(generate({ ...asked, budget: { attempts: 1 } })).rejects.toThrow(StructuredOutputError);
  expect(server.turns).toHaveLength(3);
});

it('starts no attempt that exceeds the budget in money', async () => {
  const usage = { inputTokens: 600_000, outputTokens: 0 };
  await using server = await start(() => reply.text('no', { usage }));
  const prices = { inputUsdPerMillion: 1, outputUsdPerMillion: 1 };
  const asked = { model: local(server), prompt, output, mode: 'json', maxCorrections: 9, prices } as const;
  await expect(generate({ ...asked, budget: { usd: 1 } })).rejects.toMatchObject({
    usage: { costUsd: 1.2 },
    attempts: [{ code: 'invalid-json' }, { code: 'invalid-json' }],
  });
});

it('loses no cent to rounding over many calls', async () => {
  const usage = { inputTokens: 1, outputTokens: 0 };
  await using server = await start(() => reply.text('no', { usage }));
  const prices = { inputUsdPerMillion: 100_000, outputUsdPerMillion: 1 };
  const asking = generate({ model: local(server), prompt, output, mode: 'json', maxCorrections: 9, prices });
  await expect(asking).rejects.toMatchObject({ usage: { inputTokens: 10, costUsd: 1 } });
});

it('ends with the signal’s own reason while it waits for a busy service', async () => {
  await using server = await start(() => reply.error(429, { retryAfterSeconds: 50 }));
  const controller = new AbortController();
  const reason = new RangeError('enough');
  const asking = generate({ model: local(server), prompt, output, signal: controller.signal });
  while (server.turns.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  setTimeout(() => controller.abort(reason), 50);
  await expect(asking).rejects.toBe(reason);
  expect(server.turns).toHaveLength(1);
});

it('ends with the signal’s own reason', async () => {
  await using server = await start(() => reply.delay(60_000, reply.text('{}')));
  const controller = new AbortController();
  const reason = new RangeError('enough');
  const asking = generate({ model: local(server), prompt, output, signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);
  await expect(asking).rejects.toBe(reason);
});

it('lets the output’s check reject an answer', async () => {
  await using server = await start([reply.text('{"moons":3}'), reply.text('{"moons":2}')]);
  const checked = Output.object({
    schema: z.object({ moons: z.number() }),
    check: ({ moons }) => (moons === 2 ? undefined : 'Count again.'),
  });
  const result = await generate({ model: local(server), prompt, output: checked, mode: 'json' });
  expect(result.output.moons).toBe(2);
  expect(server.turns[1]?.userText).toContain('Count again.');
});

it('passes the caller’s signal to the output’s check', async () => {
  await using server = await start([reply.text('{"moons":2}')]);
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  const checked = Output.object({
    schema: z.object({ moons: z.number() }),
    check: (_answer, context) => void seen.push(context.signal === signal, context.worktreePath),
  });
  await generate({ model: local(server), prompt, output: checked, signal });
  expect(seen).toEqual([true, process.cwd()]);
});

it('asks anew after an empty reply', async () => {
  await using server = await start([reply.text(''), reply.text('{"moons":2}')]);
  const result = await generate({ model: local(server), prompt, output, mode: 'json' });
  expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['not-produced', 'ok']);
  expect(server.turns[1]?.messages).toEqual(server.turns[0]?.messages);
});

it('gives a wrong value back once, and then asks anew with the next seed', async () => {
  const wrong = reply.text('{"moons":"two"}');
  await using server = await start([wrong, wrong, wrong, reply.text('{"moons":2}')]);
  const asked = { model: local(server), prompt, output, mode: 'json', seed: 7, maxCorrections: 3 } as const;
  expect((await generate(asked)).output).toEqual({ moons: 2 });
  const sent = server.requests.map(({ body }) => body);
  expect(sent.map((body) => /"seed":(\d+)/u.exec(body)?.[1])).toEqual(['7', '7', '8', '8']);
  expect(server.turns.map(({ messages }) => messages.length)).toEqual([3, 5, 3, 5]);
});

it('tells the schema when it asks anew after a value that was corrected in vain', async () => {
  const wrong = reply.text('{"moons":"two"}');
  await using server = await start([wrong, wrong, reply.text('{"moons":2}')]);
  await generate({ model: local(server), prompt, output, mode: 'native' });
  const told = server.requests.map(({ body }) => body.includes(String.raw`\"moons\": number`));
  expect(told).toEqual([false, false, true]);
});

it('gives nothing of a reply back that was cut', async () => {
  const cut = reply.text('{"moons":"a long number', { finishReason: 'length' });
  await using server = await start([cut, reply.text('{"moons":2}')]);
  await generate({ model: local(server), prompt, output, seed: 7 });
  expect(server.turns[1]?.messages).toEqual(server.turns[0]?.messages);
  expect(server.requests[1]?.body).toContain('"seed":8');
});

it.each([
  [{ prompt: undefined }, /exactly one/u],
  [{ maxCorrections: -1 }, /maxCorrections/u],
  [{ budget: { usd: 1 } }, /prices/u],
  [{ mode: 'tag' as const }, /tag/u],
])('refuses %j before any request', async (wrong, message) => {
  await using server = await start([]);
  const options = { model: local(server), prompt, output, ...wrong };
  await expect(generate(options as typeof options & { prompt: string })).rejects.toThrow(message);
  expect(server.requests).toHaveLength(0);
});

it.each([undefined, 'native'] as const)(
  'reports an error that a provider throws on a reply as that of a model: %s',
  async (mode) => {
    const cause = new TypeError("Cannot read properties of undefined (reading 'map').");
    const model = {
      specificationVersion: 'v4',
      provider: 'test',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: () => Promise.reject(cause),
      doStream: () => Promise.reject(cause),
    };
    const asked = { model, prompt: 'How many?', output, maxCorrections: 0 } as const;
    await expect(generate(mode === undefined ? asked : { ...asked, mode })).rejects.toMatchObject({
      name: 'ModelError',
      code: 'http',
      message: expect.stringContaining('failed with TypeError: Cannot read properties'),
      cause,
    });
  },
);
