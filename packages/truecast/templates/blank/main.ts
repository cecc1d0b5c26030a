/**
 * Asks an agent one question and gets a typed answer with its commits.
 *
 * Run it: `node .truecast/main.ts`
 */
import { dirname, join } from 'node:path';
import { Output, run } from 'truecast';
import { z } from 'zod';
import { agent, maxCorrections, sandbox } from './agent.ts';

const answer = z.object({
  summary: z.string().min(1),
  openQuestions: z.array(z.string()),
});

const { output, commits, branch } = await run({
  agent,
  sandbox,
  cwd: dirname(import.meta.dirname),
  promptFile: join(import.meta.dirname, 'prompt.md'),
  // If the answer is valid, the commits are merged into your branch. Otherwise they stay on a
  // separate branch.
  branchStrategy: { type: 'merge-to-head' },
  output: Output.object({ tag: 'result', schema: answer, maxCorrections }),
  logging: { type: 'file', live: process.stderr },
});

console.log(output.summary);
for (const question of output.openQuestions) console.log(`? ${question}`);
console.log(`${commits.length} commit(s) on ${branch}`);
