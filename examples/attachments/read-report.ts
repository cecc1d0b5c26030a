/**
 * Attachments: the agent reads a file and some bytes by their paths, fixes the bug and answers. Neither is
 * committed. Start it in a repository, with the path of a report.
 */
import assert from 'node:assert/strict';
import { bubblewrap, claudeCode, command, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

const [report] = process.argv.slice(2);
assert.ok(report !== undefined, 'Pass the path of a report.');
// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const { output, commits } = await run({
  ...place,
  branchStrategy: { type: 'merge-to-head' },
  prompt: 'Fix the bug of the report, and commit. Answer in <result> with its title.',
  attachments: [report, { name: 'environment.json', data: JSON.stringify({ node: process.version }) }],
  output: Output.object({ tag: 'result', schema: z.object({ title: z.string() }) }),
});
console.log(output.title, commits.length);
