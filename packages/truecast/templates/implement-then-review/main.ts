/**
 * One agent does a task on a branch and another reviews it, until the review approves.
 *
 * Run it: `node .truecast/main.ts "Add a login form"`
 */
import { dirname, join } from 'node:path';
import { createSandbox, Output } from 'truecast';
import { z } from 'zod';
import { agent, maxCorrections, sandbox } from './agent.ts';

const MAX_REVIEWS = 3;

const review = z.object({
  verdict: z.enum(['approve', 'change']),
  comments: z.array(z.object({ file: z.string(), problem: z.string(), fix: z.string() })),
});

const task = process.argv.slice(2).join(' ');
if (task === '') {
  console.error('Say what to do: node .truecast/main.ts "Add a login form"');
  process.exit(2);
}
const words = task.toLowerCase().match(/[a-z0-9]+/gu) ?? ['task'];
const branch = `truecast/${words.slice(0, 6).join('-')}-${Date.now().toString(36)}`;
const cwd = dirname(import.meta.dirname);

await using place = await createSandbox({ branch, sandbox, agents: [agent], cwd });
const begin = (await place.exec('git rev-parse HEAD')).stdout.trim();
const isAhead = async (): Promise<boolean> =>
  (await place.exec(`git rev-list --count ${begin}..HEAD`)).stdout.trim() !== '0';

const promptOf = (name: string): string => join(import.meta.dirname, name);
const logging = { type: 'file', live: process.stderr } as const;
let isApproved = false;
let comments = 'None yet: this is the first round.';

for (let round = 1; round <= MAX_REVIEWS && !isApproved; round += 1) {
  await place.run({
    agent,
    name: `implement-${round}`,
    promptFile: promptOf('implement-prompt.md'),
    promptArgs: { TASK: task, COMMENTS: comments },
    logging,
  });
  if (!(await isAhead())) {
    console.log('Nothing was committed, so there is nothing to review.');
    break;
  }
  const { output } = await place.run({
    agent,
    name: `review-${round}`,
    promptFile: promptOf('review-prompt.md'),
    promptArgs: { TASK: task, BEGIN: begin },
    output: Output.object({ tag: 'review', schema: review, maxCorrections }),
    logging,
  });
  isApproved = output.verdict === 'approve';
  comments = output.comments.map(({ file, problem, fix }) => `- ${file}: ${problem} ${fix}`).join('\n');
  console.log(`Review ${round}: ${output.verdict}, ${output.comments.length} comment(s)`);
}

console.log(isApproved ? `Approved: git merge ${branch}` : `Not approved; the work is on ${branch}`);
if (!isApproved) process.exitCode = 1;
