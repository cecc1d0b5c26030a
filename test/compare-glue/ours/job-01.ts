/** Job 1: a planned change, fixed by agents in parallel. */
import { claudeCode, generate, noSandbox, openAICompatible, Output, runBatch } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

const plan = z.object({
  tasks: z
    .array(z.object({ file: z.string(), text: z.string() }))
    .min(1)
    .max(5)
    .refine((tasks) => new Set(tasks.map(({ file }) => file)).size === tasks.length, 'Name each file once.'),
});

export async function job({ cwd, model, modelUrl, apiKey, input }: World) {
  const { limitMs } = input as { limitMs: number };
  const { output } = await generate({
    model: openAICompatible({ baseURL: modelUrl, model, apiKey }),
    prompt: 'Plan the replacement of `old` by `new` in the files of this repository: one task for each file.',
    output: Output.object({ schema: plan }),
  });
  const batch = runBatch({
    agent: claudeCode(),
    sandbox: noSandbox(),
    cwd,
    inputs: output.tasks,
    prompt: 'Work on {{file}}: {{text}} Commit.',
    branchStrategy: { type: 'merge-to-head' },
    timeouts: { runMs: limitMs / 2 },
  });
  const merged: string[] = [];
  const failed: string[] = [];
  for await (const result of batch) {
    (result.status === 'ok' && result.merged === true ? merged : failed).push(result.input['file'] as string);
  }
  return { merged, failed };
}
