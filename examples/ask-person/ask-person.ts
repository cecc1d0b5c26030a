/**
 * An agent that asks instead of guessing: the question is answered by a person (here from the command
 * line: `node ask-person.ts "Use Postgres."`), and the answered work is merged. Start it in a repository.
 */
import assert from 'node:assert/strict';
import { bubblewrap, claudeCode, command, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const setup = Output.object({
  tag: 'setup',
  schema: z.object({ database: z.string() }),
  question: true,
  decline: true,
});

let result = await run({
  ...place,
  branchStrategy: { type: 'merge-to-head' },
  prompt: `Set up the database, and commit it. Ask if you must choose.\n${Output.instructions(setup)}`,
  output: setup,
});

for (const text of process.argv.slice(2)) {
  if (result.output.outcome !== 'question') break;
  console.log(`asked: ${result.output.question.text}`);
  // The branch of the question has the work so far. Nothing is merged yet.
  result = (await result.answer?.(text)) ?? result;
}

const { output } = result;
assert.notEqual(output.outcome, 'question', 'More questions than answers.');
if (output.outcome === 'declined') console.log(`declined: ${output.reason}`);
if (output.outcome === 'answered') console.log(`merged into ${result.branch}: ${output.answer.database}`);
