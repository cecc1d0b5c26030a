import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { readOutcomes, type RecordedOutcome } from 'truecast/internal/run/logging/read-outcomes';
import { createOutcomeTally } from 'truecast/internal/run/logging/summarize-outcomes';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truecast-outcomes-'));
});
afterEach(() => rm(folder, { recursive: true }));

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const usage = { inputTokens: 5, outputTokens: 1 };

it('are written to the named file, one line each, and summarized by the report', async () => {
  await using server = await scriptedModelServer({
    script: [
      reply.text('{"moons":2}', { usage }),
      reply.text('{"moons":"two"}', { usage }),
      reply.text('{"moons":2}', { usage }),
      reply.text('{"moons":"two"}', { usage }),
      reply.error(403),
      reply.delay(60_000, reply.text('{}')),
    ],
  });
  const outcomes = join(folder, 'deep', 'outcomes.jsonl');
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const asked = { model, prompt: 'How many?', output, outcomes, mode: 'json' } as const;
  await generate(asked);
  await generate(asked);
  await expect(generate({ ...asked, maxCorrections: 0 })).rejects.toMatchObject({ code: 'schema-mismatch' });
  await expect(generate(asked)).rejects.toMatchObject({ code: 'http' });
  await expect(generate({ ...asked, signal: AbortSignal.timeout(50) })).rejects.toThrow();

  const lines: (RecordedOutcome | undefined)[] = [];
  for await (const line of readOutcomes(outcomes)) lines.push(line);
  expect(lines.map((line) => [line?.code, line?.mode, line?.attemptCodes])).toEqual([
    ['ok', 'json', ['ok']],
    ['ok', 'json', ['schema-mismatch', 'ok']],
    ['schema-mismatch', 'json', ['schema-mismatch']],
    ['http', undefined, []],
    ['aborted', undefined, []],
  ]);
  expect(lines[1]).toMatchObject({ agent: 'generate', model: 'scripted', usage: { inputTokens: 10 } });
  expect(lines[0]?.schemaHash).toMatch(/^[0-9a-f]{64}$/u);
  const tally = createOutcomeTally();
  for (const line of lines) if (line !== undefined) tally.add(line);
  expect(tally.summaries()[0]).toMatchObject({ mode: 'json', runs: 3, firstTry: 1 / 3 });
});

it('never fail an answer if they cannot be written', async () => {
  await using server = await scriptedModelServer({ script: [reply.text('{"moons":2}')] });
  await writeFile(join(folder, 'file'), '');
  const warned = once(process, 'warning');
  const result = await generate({
    model: openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }),
    prompt: 'How many?',
    output,
    outcomes: join(folder, 'file', 'outcomes.jsonl'),
  });
  expect(result.output).toEqual({ moons: 2 });
  expect(String((await warned)[0])).toContain('could not be recorded');
});
