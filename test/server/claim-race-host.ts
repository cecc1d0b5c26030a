/**
 * Process that claims runs, 25 times at once. Each line on stdin starts a round: it ends the runs that it
 * has, and claims as many again and some more. It prints how many it ended and has. Its arguments are the
 * address of the store, its offers and limits as JSON, and a log that all processes append to.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import type { HeldRun } from '../../packages/server/src/runs/state/run-work.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

/** Claims of a process in its first round. */
const CLAIMS = 25;
/** Claims of a later round, in addition to one for each run that ends. */
const MORE_CLAIMS = 1;
/** Usage of each run. */
const USAGE = {
  input_tokens: 10,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const settingsSchema = z.object({
  offers: z.object({ repositories: z.array(z.string()), agents: z.array(z.string()) }),
  limits: z.object({ perRepository: z.number(), perAgent: z.number(), perOwner: z.number() }),
});

const [url = '', settings = '', logFile = ''] = process.argv.slice(2);
const { offers, limits } = settingsSchema.parse(JSON.parse(settings));
const store = await openStore({ url });
const machine = createRunMachine({ store, limits });
// With O_APPEND, the lines of all processes have one order, and each line is whole.
const log = openSync(logFile, 'a');
let claims = 0;
let held: HeldRun[] = [];

/** Claims once. A run that it gets is in use until the next round. */
async function claim(): Promise<void> {
  const id = `${process.pid}.${(claims += 1)}`;
  writeSync(log, `try ${id}\n`);
  const found = await machine.claimNext({ worker: `claimer-${process.pid}`, offers });
  if (found === undefined) return;
  const { owner, request } = found.claimed;
  writeSync(log, `start ${id} ${found.fence.runId} ${owner} ${request.repository} ${request.agent}\n`);
  held.push(found);
}

/** Ends a run. The log has the usage after its commit, and the end before its own. */
async function end({ fence, claimed }: HeldRun): Promise<void> {
  await machine.note(fence, { note: { phase: 'working', usage: USAGE } });
  writeSync(log, `spent ${claimed.owner}\nend ${fence.runId}\n`);
  await machine.endRun(fence, { status: 'succeeded', text: 'Done.', usage: USAGE });
}

process.stdout.write('ready\n');
for await (const _line of createInterface({ input: process.stdin })) {
  const ending = held;
  held = [];
  const tries = claims === 0 ? CLAIMS : MORE_CLAIMS;
  await Promise.all([
    ...ending.map((run) => end(run).then(claim)),
    ...Array.from({ length: tries }, () => claim()),
  ]);
  process.stdout.write(`${ending.length} ${held.length}\n`);
}
closeSync(log);
await store.close();
