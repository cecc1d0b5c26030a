/** Asks an agent for a typed plan. The agent gets two corrections of an invalid answer. */
import { claudeCode, Output, run } from 'truecast/sandcastle';
import { noSandbox } from 'truecast/sandboxes/no-sandbox';
import { z } from 'zod';

const planSchema = z.object({
  issues: z.array(z.object({ id: z.string(), title: z.string(), branch: z.string() })),
});

const result = await run({
  agent: claudeCode('claude-opus-4-8'),
  sandbox: noSandbox(),
  name: 'planner',
  prompt:
    'Read issues.md and plan the work. Answer with {"issues": [{"id", "title", "branch"}]} as JSON in a <plan> tag.',
  output: Output.object({ tag: 'plan', schema: planSchema, maxRetries: 2 }),
});

for (const issue of result.output.issues) console.log(`${issue.id}: ${issue.title} -> ${issue.branch}`);
console.log(
  `commits: ${result.commits.length}, branch: ${result.branch}, iterations: ${result.iterations.length}`,
);
