/**
 * One task for several repositories: each item works in its own, with its own notes, and lands there. A
 * second start runs only what is missing. Pass the paths of the repositories.
 */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { bubblewrap, claudeCode, command, noSandbox, runBatch } from 'truecast';

const repositories = process.argv.slice(2);
assert.ok(repositories.length > 0, 'Pass the paths of repositories.');
// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const batch = runBatch({
  ...place,
  inputs: repositories.map((PATH) => ({ id: basename(PATH), PATH })),
  cwd: ({ PATH }) => (typeof PATH === 'string' ? PATH : ''),
  attachments: ({ id }) => [{ name: 'notes.md', data: `Notes about ${JSON.stringify(id)}` }],
  prompt: 'Update the dependencies as the notes say. Commit.',
  branchStrategy: { type: 'merge-to-head' },
  out: process.env['TRUECAST_RESULTS'] ?? 'updates.jsonl',
});
for await (const { id, status, branch } of batch) console.log(id, status, branch);
const { ok, failed, okEarlier } = await batch;
console.log(`${ok} updated, ${failed} failed, ${okEarlier} earlier`);
