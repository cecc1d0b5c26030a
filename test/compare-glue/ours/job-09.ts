/** Job 9: a review with comments on lines of a diff. */
import { claudeCode, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

const comment = z.object({ path: z.string(), line: z.int(), text: z.string() });

export async function job({ cwd, input }: World) {
  const { branch, limitMs } = input as { branch: string; limitMs: number };
  const output = Output.object({
    tag: 'answer',
    schema: z.object({ comments: z.array(comment) }),
    maxCorrections: 2,
    check: async ({ comments }, { exec }) => {
      const changed = linesOf((await exec(`git diff -U0 main...${branch}`)).stdout);
      const wrong = comments.filter(({ path, line }) => !changed.has(`${path}:${line}`));
      if (wrong.length === 0) return undefined;
      return `Not in the diff: ${wrong.map(({ path, line }) => `${path}:${line}`).join(', ')}.`;
    },
  });
  const result = await run({
    agent: claudeCode(),
    sandbox: noSandbox(),
    cwd,
    prompt: `Review the diff \`git diff main...${branch}\`. Change nothing. ${Output.instructions(output)}`,
    output,
    policies: { secretsInOutput: 'error' },
    timeouts: { runMs: limitMs / 2 },
  });
  if (result.commits.length > 0) throw new Error(`The review made commits. They are on ${result.branch}.`);
  return result.output;
}

/** Returns `path:line` of each line that the diff adds. */
function linesOf(diff: string): Set<string> {
  const lines = new Set<string>();
  let path = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ b/')) path = line.slice('+++ b/'.length);
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (start === undefined) continue;
    for (let at = 0; at < Number(count); at += 1) lines.add(`${path}:${Number(start) + at}`);
  }
  return lines;
}
