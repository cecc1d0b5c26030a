/** Job 3: a loop over a backlog. */
import { claudeCode, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

const output = Output.object({
  tag: 'answer',
  schema: z.object({ done: z.boolean(), closed: z.string() }),
  maxCorrections: 2,
});

export async function job({ cwd, input }: World) {
  const { max, limitMs } = input as { max: number; limitMs: number };
  const closed: string[] = [];
  while (closed.length < max) {
    const result = await run({
      agent: claudeCode(),
      sandbox: noSandbox(),
      cwd,
      branchStrategy: { type: 'merge-to-head' },
      prompt: `Close the first open item of backlog.txt, and commit. ${Output.instructions(output)}`,
      output,
      timeouts: { runMs: limitMs / max },
    });
    if (result.commits.length === 0) throw new Error(`No commit landed for ${result.output.closed}.`);
    closed.push(result.output.closed);
    if (result.output.done) return { closed, done: true };
  }
  return { closed, done: false };
}
