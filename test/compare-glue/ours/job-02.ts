/** Job 2: a review, then fixes in the same session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode, createSandbox, noSandbox, Output } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

export async function job({ cwd, input }: World) {
  const { limitMs } = input as { limitMs: number };
  const agent = claudeCode();
  const lines = readFileSync(join(cwd, 'src.txt'), 'utf8').trimEnd().split('\n').length;
  const problem = z.object({ line: z.int().min(1).max(lines), what: z.string() });
  const output = Output.object({
    tag: 'answer',
    schema: z.object({ problems: z.array(problem) }),
    maxCorrections: 2,
  });
  const sandbox = await createSandbox({ branch: 'review', cwd, sandbox: noSandbox(), agents: [agent] });
  try {
    const review = await sandbox.run({
      agent,
      prompt: `Review src.txt. Change nothing. ${Output.instructions(output)}`,
      output,
      timeouts: { runMs: limitMs / 3 },
    });
    const problems = review.output.problems.length;
    if (problems > 0) {
      await review.resume?.(
        `Fix these problems, commit, and answer with the rest. ${Output.instructions(output)}`,
      );
    }
    const { merge } = await sandbox.close({ merge: { deleteBranch: true } });
    return { problems, merged: merge?.isMerged === true };
  } finally {
    await sandbox.close();
  }
}
