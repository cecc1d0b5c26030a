/** Tools of `generate()` on a real engine: a small model ends with an answer or a reason, within its steps. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { findEngine, startEngine } from './start-engine.ts';

const engine = findEngine(process.env);
const MAX_STEPS = 3;

it.skipIf(engine === undefined)(
  'ends with an answer or a reason, and runs only calls that fit their schema',
  { timeout: 300_000 },
  async () => {
    await using running = await startEngine(engine ?? { program: '', weights: '' });
    const cities: string[] = [];
    const steps: string[] = [];
    const ended: unknown = await generate({
      model: openAICompatible({ baseURL: running.url, model: running.model }),
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
