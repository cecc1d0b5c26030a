/** Limits of a model's work with tools: time, size, budget, abort, and what goes back to the service. */
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { AnswerStep } from '@truecast/core/internal/errors/base/answer-step';
import type { ModelScript } from '../../../testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { engineOf, forgetEngines } from '../ladder/engine.ts';
import type { GenerateOptions } from '../call/generate-options.ts';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { MODELS } from '../test-models.ts';
import type { GenerateTools } from '../tools/generate-tool.ts';
import { ANSWER, RIGHT_DEGREES, submit, TOOLS, work } from '../../../../test/answers/tool-cases.ts';

const output = Output.object({ schema: ANSWER });
const prompt = 'How cold is it in Oslo?';
type Options = Partial<GenerateOptions<typeof output>>;

afterEach(forgetEngines);

/** Asks a scripted server, whose requests can be read after that. */
async function ask(
  script: ModelScript,
  options: Options = {},
  wire = 'openai compatible',
): Promise<{ readonly server: ScriptedModelServer; readonly ended: unknown }> {
  await using server = await scriptedModelServer({ script });
  const model = MODELS[wire]?.(server);
  if (model === undefined) throw new RangeError(wire);
  const ended: unknown = await generate({ model, prompt, output, tools: TOOLS, ...options }).catch(
    (error: unknown) => error,
  );
  return { server, ended };
}

/** Texts of the tools' results in the last request. */
function toldIn(server: ScriptedModelServer): readonly string[] {
  return server.turns.at(-1)?.toolResults.map(({ text }) => text) ?? [];
}

function toolOf(execute: () => unknown, timeoutMs?: number): GenerateTools {
  return { act: { inputSchema: z.object({}), execute, ...(timeoutMs !== undefined && { timeoutMs }) } };
}

const act = reply.tool('act', {});

it('ends a tool that never returns, and tells the model', async () => {
  let signal: AbortSignal | undefined;
  const tools: GenerateTools = {
    act: {
      inputSchema: z.object({}),
      timeoutMs: 20,
      execute: (_input, context) => {
        ({ signal } = context);
        return new Promise(() => undefined);
      },
    },
  };
  const { server, ended } = await ask([act, submit], { tools });
  expect(ended).toMatchObject({ output: RIGHT_DEGREES });
  expect(toldIn(server)).toEqual(['The tool failed: It did not end within 20 ms.']);
  expect(signal?.aborted).toBe(true);
});

it.each([
  ['x'.repeat(300_000), 'x… (cut: the result has 300000 characters. Ask for a smaller part.)'],
  [
    { long: '\u{1F600}'.repeat(60_000) },
    '\u{1F600}… (cut: the result has 120011 characters. Ask for a smaller part.)',
  ],
])('cuts a result at 65,536 characters, and none of them in half', async (result, end) => {
  const { server } = await ask([act, submit], { tools: toolOf(() => result) });
  const [told = ''] = toldIn(server);
  expect(told.slice(-end.length)).toBe(end);
  expect(told.length).toBeLessThanOrEqual(65_536);
  expect(told.length).toBeGreaterThan(65_530);
  expect(told.isWellFormed()).toBe(true);
});

it.each([
  ['text', 'text'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, 'null'],
  [Promise.resolve([true]), '[true]'],
])('gives the model %j as %s', async (result, text) => {
  const { server } = await ask([act, submit], { tools: toolOf(() => result) });
  expect(toldIn(server)).toEqual([text]);
});

it('tells the model what a tool threw, without the key', async () => {
  await using server = await scriptedModelServer({ script: [act, submit] });
  const apiKey = 'correct-horse-battery-staple-9';
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm', apiKey });
  const tools = toolOf(() => Promise.reject(new Error(`Login with ${apiKey} failed.`)));
  await generate({ model, prompt, output, tools });
  const [told = ''] = toldIn(server);
  expect(told).toMatch(/^The tool failed: Login with .+ failed\.$/u);
  expect(told).not.toContain(apiKey);
});

it('tells the model which tools there are, and what is wrong with arguments', async () => {
  const calls = reply.steps([reply.tool('other', {}), reply.tool('getTemperature', { city: 7 })]);
  const { server } = await ask([calls, submit]);
  expect(toldIn(server)).toEqual([
    'There is no tool `other`. The tools are `getTemperature`, `getTime`, `hang`, `fail`, `submit_structured_output`.',
    expect.stringMatching(
      /^The arguments of `getTemperature` do not fit its schema, so it did not run:\n- city: .*expected string/u,
    ),
  ]);
});

it('keeps one result for each of several calls, in their order', async () => {
  const calls = [1, 2, 3].map((delay) => reply.tool('wait', { delay }));
  const ended: number[] = [];
  const tools: GenerateTools = {
    wait: {
      inputSchema: z.object({ delay: z.number() }),
      execute: async ({ delay }: { readonly delay: number }) => {
        for (let turn = 4; turn > delay; turn -= 1) await Promise.resolve();
        ended.push(delay);
        return delay;
      },
    },
  };
  const { server } = await ask([reply.steps(calls), submit], { tools });
  expect(toldIn(server)).toEqual(['1', '2', '3']);
  expect(ended).toHaveLength(3);
});

it('passes on the defaults and transforms of the input schema', async () => {
  const { server } = await ask([reply.tool('getTime', {}), submit]);
  expect(toldIn(server)).toEqual(['12:00 UTC']);
});

it('starts no further step once the budget is spent', async () => {
  const used = { usage: { inputTokens: 400, outputTokens: 200 } };
  const different = (index: number) => reply.tool('getTemperature', { city: `${index}` }, used);
  const script = [1, 2, 3, 4].map(different);
  const { server, ended } = await ask(script, { budget: { tokens: 1_000 } });
  expect(server.requests).toHaveLength(2);
  expect(ended).toMatchObject({
    reason: 'step_budget',
    message: expect.stringContaining('the `budget` is spent'),
    usage: { inputTokens: 800, outputTokens: 400 },
  });
});

it('takes an answer that spends the budget', async () => {
  const { ended } = await ask([work, submit], { budget: { tokens: 1 }, maxSteps: 1 });
  expect(ended).toMatchObject({ reason: 'step_budget' });
  const alone = await ask([submit], { budget: { tokens: 1 } });
  expect(alone.ended).toMatchObject({ output: RIGHT_DEGREES });
});

it('sums the usage of all steps, and lists them', async () => {
  const usage = { inputTokens: 10, outputTokens: 5 };
  const { ended } = await ask([
    reply.steps([work, reply.tool('fail', {})], { usage }),
    reply.tool('submit_structured_output', { output: RIGHT_DEGREES }, { usage }),
  ]);
  const counted = { inputTokens: 10, outputTokens: 5 };
  expect(ended).toMatchObject({
    usage: { inputTokens: 20, outputTokens: 10 },
    provenance: { mode: 'tool', usage: { inputTokens: 20 }, attempts: [{ code: 'ok' }] },
    steps: [
      {
        outcome: 'worked',
        usage: counted,
        calls: [
          { name: 'getTemperature', isError: false, durationMs: expect.any(Number) },
          { name: 'fail', isError: true, durationMs: expect.any(Number) },
        ],
      },
      { outcome: 'accepted', usage: counted, calls: [] },
    ],
  });
});

it('waits for `onStep` before the next request', async () => {
  const seen: string[] = [];
  await using server = await scriptedModelServer({
    script: (turn) => {
      seen.push(`request ${turn.turnIndex}`);
      return turn.turnIndex === 0 ? work : submit;
    },
  });
  const onStep = async ({ outcome }: AnswerStep): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(outcome);
  };
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  await generate({ model, prompt, output, tools: TOOLS, onStep });
  expect(seen).toEqual(['request 0', 'worked', 'request 1', 'accepted']);
});

it('ends with the error of `onStep`', async () => {
  const error = new Error('stop');
  const { server, ended } = await ask([work, submit], {
    onStep: () => {
      throw error;
    },
  });
  expect(ended).toBe(error);
  expect(server.requests).toHaveLength(1);
});

it('ends a running tool and the call with the signal', async () => {
  const controller = new AbortController();
  let told: AbortSignal | undefined;
  const tools: GenerateTools = {
    act: {
      inputSchema: z.object({}),
      execute: (_input, { signal }) => {
        told = signal;
        controller.abort(new Error('enough'));
        return new Promise(() => undefined);
      },
    },
  };
  const { server, ended } = await ask([act, submit], { tools, signal: controller.signal });
  expect(ended).toBe(controller.signal.reason);
  expect(told?.aborted).toBe(true);
  expect(server.requests).toHaveLength(1);
});

it('ends as `truncated` if the caller limits the output', async () => {
  const { ended, server } = await ask([reply.text('It is', { finishReason: 'length' })], {
    maxOutputTokens: 2,
  });
  expect(ended).toMatchObject({ reason: 'truncated', steps: [{ outcome: 'text-only' }] });
  expect(server.requests).toHaveLength(1);
});

it('offers only the answer in the last two steps, and runs nothing else then', async () => {
  let runs = 0;
  const tools = toolOf(() => (runs += 1));
  const { server, ended } = await ask(() => act, { tools, maxSteps: 4 });
  expect(ended).toMatchObject({ reason: 'step_budget' });
  expect(server.turns.map(({ tools: offered }) => offered.length)).toEqual([2, 2, 1, 1]);
  expect(runs).toBe(2);
  expect(toldIn(server).at(-1)).toMatch(/^Not run: only the answer can follow now\. Call the tool/u);
});

it('does not lower the mode of other calls after texts', async () => {
  await using server = await scriptedModelServer({ script: () => reply.text('It is cold.') });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const before = engineOf(model).standing;
  const ended: unknown = await generate({ model, prompt, output, tools: TOOLS }).catch(
    (error: unknown) => error,
  );
  expect(StructuredOutputError.isInstance(ended) && ended.reason).toBe('text_only');
  expect(engineOf(model).standing).toEqual(before);
});

it("sends Anthropic's thinking back unchanged, with its signature", async () => {
  const script = [reply.steps([reply.thinking('Oslo is in the north.'), work]), submit];
  const { server, ended } = await ask(script, {}, 'anthropic');
  expect(ended).toMatchObject({ output: RIGHT_DEGREES });
  const [, second] = server.turns;
  const { messages } = (second?.body ?? { messages: [] }) as {
    messages: { role: string; content: { type: string }[] }[];
  };
  const said = messages.find(({ role }) => role === 'assistant')?.content ?? [];
  expect(said.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
  expect(said[0]).toMatchObject({
    thinking: 'Oslo is in the north.',
    signature: expect.stringMatching(/./u),
  });
});

it('counts each request in `onCall`', async () => {
  const codes: string[] = [];
  await ask([work, reply.text('Cold.'), submit], { onCall: ({ code }) => void codes.push(code) });
  expect(codes).toEqual(['ok', 'not-produced', 'ok']);
});
