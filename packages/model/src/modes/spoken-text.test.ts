import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';

const TOOL = 'submit_structured_output';
const HUGE = 'huge '.repeat(20_000);
const output = Output.object({ schema: z.object({ moons: z.number() }) });

it.each([
  {
    what: 'text',
    mode: 'json',
    first: reply.text(JSON.stringify({ moons: 'two', note: HUGE })),
    most: 30_000,
    problem: 'does not fit its schema',
  },
  {
    what: 'call',
    mode: 'tool',
    first: reply.tool(TOOL, { output: { moons: 'two', note: HUGE } }),
    most: 30_000,
    problem: 'does not fit its schema',
  },
] as const)('returns a huge $what to the model in part', async ({ mode, first, most, problem }) => {
  const right = mode === 'tool' ? reply.tool(TOOL, { output: { moons: 2 } }) : reply.text('{"moons":2}');
  await using server = await scriptedModelServer({ chunkChars: 50_000, script: [first, right] });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const result = await generate({ model, prompt: 'How many?', output, mode });
  expect(result.output).toEqual({ moons: 2 });
  const second = JSON.stringify(server.requests[1]?.body);
  expect(second.length).toBeLessThan(most);
  expect(second).toContain(problem);
});
