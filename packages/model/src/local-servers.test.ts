import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import type { LocalServerName } from '../../testing/src/scripted-model/turn/scripted-turn.ts';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { GenerateOptions } from './call/generate-options.ts';
import type { GenerateResult } from './generate-promise.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const answer = '{"moons":2}';
const usage = { inputTokens: 26, outputTokens: 9 };

function start(localServer: LocalServerName, script: ModelScript): Promise<ScriptedModelServer> {
  return scriptedModelServer({ localServer, script, chunkChars: 4 });
}

function ask(
  server: ScriptedModelServer,
  options: Partial<GenerateOptions<typeof output>> = {},
): Promise<GenerateResult<{ moons: number }>> {
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'qwen3:8b' });
  return generate({ model, prompt: 'How many moons has Mars?', output, ...options });
}

const SERVERS: readonly LocalServerName[] = ['llama.cpp', 'lm-studio', 'ollama', 'vllm'];
const WAYS: readonly Pick<GenerateOptions<typeof output>, 'onPartial'>[] = [
  {},
  { onPartial: () => undefined },
];

describe.each(SERVERS.flatMap((name) => WAYS.map((way) => ({ name, way }))))(
  '$name, $way',
  ({ name, way }) => {
    it('answers under the schema, without its reasoning', async () => {
      await using server = await start(name, () =>
        reply.steps([reply.thinking('Let {me} think.'), reply.text(answer)], { usage }),
      );
      const result = await ask(server, way);
      expect(result.output).toEqual({ moons: 2 });
      expect(result.provenance).toMatchObject({ mode: 'native', repairs: [], raw: answer });
      expect(result.usage).toMatchObject(usage);
    });

    it('answers by the tool', async () => {
      await using server = await start(name, () =>
        reply.tool('submit_structured_output', { output: { moons: 2 } }, { usage }),
      );
      const result = await ask(server, { ...way, mode: 'tool' });
      expect(result.output).toEqual({ moons: 2 });
      expect(result.provenance.mode).toBe('tool');
    });

    it('is retried with the tool', async () => {
      await using server = await start(name, [
        reply.tool('submit_structured_output', { output: { moons: 'two' } }),
        reply.tool('submit_structured_output', { output: { moons: 2 } }),
      ]);
      const result = await ask(server, { ...way, mode: 'tool' });
      expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
      expect(server.turns[1]?.lastToolResult?.text).toContain('moons');
    });

    it('answers after reasoning that it leaves in the text', async () => {
      await using server = await start(name, [
        reply.text(`<think>\nA draft: {"moons":1}\n</think>\n\n${answer}`),
        reply.text(`So {"moons":1}? No.\n</think>\n\n\`\`\`json\n${answer}\n\`\`\``),
      ]);
      for (const _turn of [1, 2]) {
        const result = await ask(server, { ...way, mode: 'json', maxCorrections: 0 });
        expect(result.output).toEqual({ moons: 2 });
        expect(result.provenance.repairs).toEqual([{ kind: 'dropped-reasoning', path: [] }]);
      }
    });

    it('streams the answer, and no draft of the reasoning', async () => {
      await using server = await start(name, () =>
        reply.text(`<think>\nA draft: {"moons":1}\n</think>\n\n${answer}`),
      );
      const seen: unknown[] = [];
      await ask(server, { mode: 'json', onPartial: ({ value }) => seen.push(value?.moons) });
      expect(seen.filter((moons) => moons !== undefined)).toContain(2);
      expect(seen).not.toContain(1);
    });

    it('reports refusals with its original message', async () => {
      const message = "model 'qwen3:8b' not found";
      await using server = await start(name, () => reply.error(404, { message }));
      await expect(ask(server, way)).rejects.toMatchObject({
        code: 'http',
        statusCode: 404,
        message: expect.stringContaining(message),
      });
      expect(server.turns).toHaveLength(1);
    });

    it('reports that the reply was cut at the token limit', async () => {
      await using server = await start(name, () => reply.text('{"moons":', { finishReason: 'length' }));
      await expect(ask(server, { ...way, maxCorrections: 0 })).rejects.toMatchObject({ code: 'truncated' });
    });
  },
);

it.each([
  ['ollama', 400, 'registry.ollama.ai/library/gemma:2b does not support tools', 3],
  ['llama.cpp', 500, 'tools param requires --jinja flag', 3],
  // It refuses each form of the choice.
  ['vllm', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 4],
] as const)('falls back to the prompt if %s has no tools', async (name, statusCode, message, turns) => {
  await using server = await start(name, (turn) => {
    if (turn.jsonSchema !== undefined) {
      return reply.error(400, { message: 'response_format is not supported' });
    }
    return turn.tools.length > 0 ? reply.error(statusCode, { message }) : reply.text(answer);
  });
  expect((await ask(server)).provenance.mode).toBe('json');
  expect(server.turns).toHaveLength(turns);
});

it.each(WAYS)('accepts the answer that LM Studio returns as reasoning, and reports it', async (way) => {
  await using server = await start('lm-studio', () => reply.thinking(answer));
  const result = await ask(server, { ...way, maxCorrections: 0 });
  expect(result.output).toEqual({ moons: 2 });
  expect(result.provenance.repairs).toEqual([{ kind: 'answer-in-reasoning', path: [] }]);
});

it('does not accept reasoning as an answer', async () => {
  await using server = await start('lm-studio', () => reply.thinking('{"moons":"two"}'));
  await expect(ask(server, { maxCorrections: 0 })).rejects.toMatchObject({ code: 'not-produced' });
});

it('keeps a reasoning marker inside the answer', async () => {
  const note = 'In <think>tags</think> it thinks.';
  await using server = await start('ollama', () => reply.text(JSON.stringify({ note })));
  const noted = Output.object({ schema: z.object({ note: z.string() }) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'qwen3:8b' });
  const result = await generate({ model, prompt: 'x', output: noted, mode: 'json', maxCorrections: 0 });
  expect(result.output).toEqual({ note });
});
