/**
 * A coding agent in a sandbox that calls a function of this program: the tracker is here, and the sandbox
 * has no network.
 */
import assert from 'node:assert/strict';
import { bubblewrap, claudeCode, Output, run } from 'truecast';
import { z } from 'zod';

const TICKETS = new Map([
  [7, { title: 'The greeting has no name', severity: 'high' }],
  [8, { title: 'The guide has a typing error', severity: 'low' }],
]);

const running = run({
  agent: claudeCode(),
  sandbox: bubblewrap(),
  prompt: 'Which of the tickets 7 and 8 is urgent? Answer with {"id": number} in a <result> tag.',
  output: Output.object({ tag: 'result', schema: z.object({ id: z.int() }) }),
  logging: { type: 'file' },
  tools: {
    find_ticket: {
      description: 'Returns a ticket of our tracker by its id.',
      inputSchema: z.object({ id: z.int() }),
      execute: ({ id }) => TICKETS.get(id) ?? `There is no ticket ${id}.`,
      timeoutMs: 5_000,
    },
  },
});

for await (const event of running) {
  if (event.type === 'host-tool') console.log(event.name, event.isError ? 'refused' : 'ok');
}

const { output } = await running;
assert.ok(TICKETS.has(output.id));
console.log(`urgent: ${TICKETS.get(output.id)?.title}`);
