/**
 * Triage of a failed build in any folder, such as that of the downloaded logs of CI. The folder needs no
 * git: the agent reads a copy, and everything that it writes is thrown away. Start it in the folder.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { bubblewrap, claudeCode, command, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const triage = Output.object({
  tag: 'triage',
  schema: z.object({ test: z.string(), cause: z.enum(['code', 'test', 'machine']) }),
});

const before = readdirSync('.');
const { output } = await run({
  ...place,
  readOnly: true,
  prompt: `Which test failed in the logs here, and what is its cause?\n${Output.instructions(triage)}`,
  output: triage,
});
assert.deepEqual(readdirSync('.'), before, 'The run changed the folder.');
console.log(`${output.test}: ${output.cause}`);
