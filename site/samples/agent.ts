/** Sample of the landing page: a coding agent works on a branch, and its answer has a type. */
import { bubblewrap, claudeCode, Output, run } from 'truecast';
import { z } from 'zod';

const { output, commits, branch } = await run({
  agent: claudeCode(), // or codex(), geminiCli(), …
  sandbox: bubblewrap(),
  prompt: 'Find the bug in loop.ts, fix it and commit.',
  output: Output.object({
    schema: z.object({ file: z.string(), line: z.number() }),
    maxCorrections: 2, // a wrong answer goes back to the agent
  }),
});
console.log(output.line, commits.length, branch);
