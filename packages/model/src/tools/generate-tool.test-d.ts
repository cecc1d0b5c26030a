import { jsonSchema, tool, zodSchema } from 'ai';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import type { GenerateTool } from './generate-tool.ts';

const model = openAICompatible({ baseURL: 'http://localhost/v1', model: 'm' });
const asked = { model, prompt: 'x', output: Output.object({ schema: z.object({ a: z.number() }) }) };

const sdkTools = {
  temperature: tool({
    description: 'Returns the temperature of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }, { abortSignal, messages }) =>
      Promise.resolve({ city, degrees: 7, stopped: abortSignal?.aborted, count: messages.length }),
  }),
  json: tool({ inputSchema: jsonSchema<{ n: number }>({ type: 'object' }), execute: ({ n }) => n + 1 }),
  zod: tool({ inputSchema: zodSchema(z.object({ n: z.number() })), execute: ({ n }) => n + 1 }),
};

it("takes the AI SDK's tools without a cast", () => {
  expectTypeOf(sdkTools).toExtend<Readonly<Record<string, GenerateTool>>>();
  expectTypeOf(generate({ ...asked, tools: sdkTools }))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ a: number }>();
});

it('infers the input of a tool from its schema, beside tools of the AI SDK', () => {
  void generate({
    ...asked,
    tools: {
      ...sdkTools,
      time: {
        description: 'Returns the time.',
        inputSchema: z.object({ zone: z.string().default('UTC') }),
        execute: ({ zone }, { signal, toolCallId }) =>
          `${zone.toUpperCase()} ${signal.aborted} ${toolCallId}`,
      },
      round: {
        inputSchema: z.object({ n: z.number() }),
        execute: ({ n }) => Promise.resolve(n.toFixed()),
        timeoutMs: 5_000,
      },
    },
    maxSteps: 5,
    onStep: ({ outcome, calls }) => {
      expectTypeOf(calls[0]?.durationMs).toEqualTypeOf<number | undefined>();
      expectTypeOf(outcome).toExtend<string>();
    },
  });
});

it('refuses a tool without a function, and input that its schema does not have', () => {
  // @ts-expect-error nothing runs it
  void generate({ ...asked, tools: { time: { inputSchema: z.object({}) } } });
  void generate({
    ...asked,
    tools: {
      time: {
        inputSchema: z.object({ zone: z.string() }),
        // @ts-expect-error the schema has no such member
        execute: ({ city }) => `${city}`,
      },
    },
  });
});
