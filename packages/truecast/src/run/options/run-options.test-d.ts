import { jsonSchema, tool } from 'ai';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { command } from '../../agents/command.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { runBatch } from '../batch/run-batch.ts';
import { run } from '../run.ts';
import type { RunResult } from './run-options.ts';
import type { Sandbox } from './sandbox-options.ts';
import type { Worktree } from './worktree-options.ts';

declare const sandbox: Sandbox;
declare const worktree: Worktree;
const asked = { agent: command({ command: 'true' }), sandbox: noSandbox(), prompt: 'x' };
const output = Output.object({ schema: z.object({ a: z.number() }) });
const sdkTools = {
  temperature: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }, { abortSignal }) => Promise.resolve({ city, stopped: abortSignal?.aborted }),
  }),
  json: tool({ inputSchema: jsonSchema<{ n: number }>({ type: 'object' }), execute: ({ n }) => n + 1 }),
};

it('infers the input of a tool from its schema, with and without an output', () => {
  expectTypeOf(
    run({
      ...asked,
      tools: {
        ...sdkTools,
        time: {
          description: 'Returns the time.',
          inputSchema: z.object({ zone: z.string().default('UTC') }),
          execute: ({ zone }, { signal }) => `${zone.toUpperCase()} ${signal.aborted}`,
        },
      },
    }),
  ).resolves.toEqualTypeOf<RunResult>();
  expectTypeOf(
    run({
      ...asked,
      output,
      tools: { round: { inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n.toFixed() } },
      onPartial: ({ a }) => a?.toFixed(),
    }),
  )
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ a: number }>();
});

it('takes the same tools in kept places and in batches', () => {
  const { sandbox: _sandbox, ...inSandbox } = asked;
  void sandbox.run({
    ...inSandbox,
    tools: { round: { inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n.toFixed() } },
  });
  void worktree.run({
    ...asked,
    output,
    tools: { round: { inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n.toFixed() } },
  });
  void runBatch({
    ...asked,
    inputs: [{}],
    output,
    tools: { round: { inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n.toFixed() } },
    onResult: (result) => {
      if (result.status === 'ok') expectTypeOf(result.output).toEqualTypeOf<{ a: number }>();
    },
  });
  void runBatch({ ...asked, inputs: [{}], tools: sdkTools });
});

it('keeps the types of calls without tools', () => {
  expectTypeOf<ReturnType<typeof run<typeof output>>>().resolves.toHaveProperty('output');
  expectTypeOf<ReturnType<typeof run>>().resolves.toEqualTypeOf<RunResult>();
});

it('refuses a tool without a function, and input that its schema does not have', () => {
  // @ts-expect-error nothing runs it
  void run({ ...asked, tools: { time: { inputSchema: z.object({}) } } });
  void run({
    ...asked,
    output,
    tools: {
      time: {
        inputSchema: z.object({ zone: z.string() }),
        // @ts-expect-error the schema has no such member
        execute: ({ city }) => `${city}`,
      },
    },
  });
});
