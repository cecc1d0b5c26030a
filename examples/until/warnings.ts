/**
 * An agent that stops too early is sent back in its session, until its typed answer says that nothing is
 * left. Start it in a repository.
 */
import { bubblewrap, claudeCode, command, LimitError, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

// Any program can be the agent, such as the one of our test. It has no sessions.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const report = Output.object({
  tag: 'report',
  schema: z.object({ left: z.number().int() }),
  retry: program === undefined ? 'resume' : 'fresh',
});

try {
  const { output, commits, branch } = await run({
    ...place,
    branchStrategy: { type: 'merge-to-head' },
    prompt: `Fix the warnings of the linter, one commit for each.\n${Output.instructions(report)}`,
    output: report,
    until({ left }, round) {
      console.log(`round ${round}: ${left} left`);
      return left === 0 || `${left} warnings are left.`;
    },
    maxRounds: 4,
  });
  console.log(`${output.left} left, ${commits.length} commits on ${branch}`);
} catch (error) {
  if (!LimitError.isInstance(error) || error.code !== 'rounds') throw error;
  console.log(`not done, ${error.commits.length} commits are kept on ${error.branch ?? 'no branch'}`);
}
