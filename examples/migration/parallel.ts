/** Works on several branches in parallel with limits, and reports failures with their kept work. */
import { claudeCode, run, StructuredOutputError, Output } from 'truecast/sandcastle';
import { noSandbox } from 'truecast/sandboxes/no-sandbox';
import { z } from 'zod';

const issues = ['1', '2', '3'];
const settled = await Promise.allSettled(
  issues.map((id) =>
    run({
      agent: claudeCode('claude-opus-4-8'),
      sandbox: noSandbox(),
      name: `issue-${id}`,
      branchStrategy: { type: 'branch', branch: `agent/issue-${id}` },
      signal: AbortSignal.timeout(120_000),
      prompt: `Solve issue ${id} and commit. Answer with {"done": boolean} as JSON in a <result> tag.`,
      output: Output.object({ tag: 'result', schema: z.object({ done: z.boolean() }) }),
    }),
  ),
);

for (const [index, outcome] of settled.entries()) {
  if (outcome.status === 'fulfilled') {
    console.log(`${issues[index]}: ${outcome.value.output.done}, ${outcome.value.commits.length} commits`);
  } else if (outcome.reason instanceof StructuredOutputError) {
    const { branch, commits, rawMatched } = outcome.reason;
    console.log(
      `${issues[index]}: invalid ${rawMatched ?? 'nothing'} on ${branch}, ${commits.length} commits`,
    );
  } else throw outcome.reason;
}
