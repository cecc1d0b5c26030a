/**
 * Typed triage with two agents. The first one reads and sorts the issue, and nothing that it writes is
 * kept. Only for a bug, the second one fixes it where the first one found it, and its commits are merged.
 * Start it in a repository: `node triage.ts "The list is empty"`.
 */
import assert from 'node:assert/strict';
import { bubblewrap, claudeCode, command, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

const issue = process.argv[2] ?? '';
assert.notEqual(issue, '', 'Pass the text of an issue.');
// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const triage = Output.object({
  tag: 'triage',
  schema: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('bug'), file: z.string(), severity: z.enum(['low', 'high']) }),
    z.object({ kind: z.literal('wish') }),
    z.object({ kind: z.literal('unclear'), question: z.string() }),
  ]),
  maxCorrections: 2,
  retry: 'fresh', // for an agent without sessions, too
});
const { output: found } = await run({
  ...place,
  name: 'triage',
  readOnly: true,
  prompt: `Sort this issue: ${issue}\n${Output.instructions(triage)}`,
  output: triage,
});

if (found.kind === 'wish') console.log('wish: left to a person');
if (found.kind === 'unclear') console.log(`unclear: ${found.question}`);
if (found.kind === 'bug') {
  console.log(`bug in ${found.file}, ${found.severity}`);
  const fix = Output.object({ tag: 'fix', schema: z.object({ summary: z.string().max(200) }) });
  const { output, commits, branch } = await run({
    ...place,
    name: 'fix',
    branchStrategy: { type: 'merge-to-head' },
    prompt: `Fix this bug in ${found.file}, with a test, and commit: ${issue}\n${Output.instructions(fix)}`,
    output: fix,
  });
  assert.ok(commits.length > 0, 'The agent committed nothing.');
  console.log(`${output.summary}: ${commits.length} commit on ${branch}`);
}
