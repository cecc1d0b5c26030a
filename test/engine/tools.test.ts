/**
 * Tools of `generate()` on a real engine, or its imitation: a small model ends with an answer or a reason,
 * within its steps.
 */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { findEngine, startEngine, type RunningEngine } from './start-engine.ts';

const files = findEngine(process.env);
const MAX_STEPS = 3;

/** Calls the tool once, and answers. */
async function startImitation(): Promise<RunningEngine> {
  const server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: ({ turnIndex }) =>
      turnIndex === 0 ? reply.tool('temperature', { city: 'Oslo' }) : reply.json({ degrees: 7 }),
  });
  const stop = (): Promise<void> => server.close();
  return { name: 'imitation', url: server.openaiUrl, model: 'scripted', [Symbol.asyncDispose]: stop };
}

it(
  'ends with an answer or a reason, and runs only calls that fit their schema',
  { timeout: 300_000 },
  async () => {
    await using engine = files === undefined ? await startImitation() : await startEngine(files);
    const cities: string[] = [];
    const steps: string[] = [];
    const ended: unknown = await generate({
      model: openAICompatible({
        baseURL: engine.url,
        model: engine.model,
        body: { max_tokens: 40, seed: 1 },
      }),
      prompt: 'How many degrees does it have in Oslo? Look it up.',
      output: Output.object({ schema: z.object({ degrees: z.int().min(-50).max(50) }) }),
      tools: {
        temperature: {
          description: 'Returns the degrees in a city.',
          inputSchema: z.object({ city: z.string().max(20) }),
          execute: ({ city }) => {
            cities.push(city);
            return { city, degrees: 7 };
          },
        },
      },
      maxSteps: MAX_STEPS,
      onStep: ({ outcome }) => void steps.push(outcome),
    }).catch((error: unknown) => error);
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.length).toBeLessThanOrEqual(MAX_STEPS);
    expect(cities.every((city) => city.length <= 20)).toBe(true);
    if (StructuredOutputError.isInstance(ended)) expect(ended.reason).toMatch(/^[a-z_]+$/u);
    else expect(ended).toMatchObject({ output: { degrees: expect.any(Number) } });
  },
);
