/**
 * A tournament: three agents do the same task on three branches, a judge compares their changes, and the
 * best one is merged. Start it in a repository: `node tournament.ts "Make the parser faster"`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { bubblewrap, claudeCode, command, merge, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

const task = process.argv[2] ?? '';
assert.notEqual(task, '', 'Pass the task.');
// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };
const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' });

const start = git('rev-parse', 'HEAD').trim();
const tries = await Promise.all(
  ['one', 'two', 'three'].map((name) =>
    run({
      ...place,
      name,
      branchStrategy: { type: 'branch', branch: `try/${name}` },
      prompt: `${task} Commit your work. You are player ${name}.`,
    }),
  ),
);
const branches = tries.filter(({ commits }) => commits.length > 0).map(({ branch }) => branch);
assert.ok(branches.length > 0, 'No agent committed anything.');

// The judge gets the changes as files. It cannot write to any branch.
const verdict = Output.object({
  tag: 'verdict',
  schema: z.object({ winner: z.enum(branches), reason: z.string().max(300) }),
  maxCorrections: 2,
  retry: 'fresh',
});
const { output } = await run({
  ...place,
  name: 'judge',
  readOnly: true,
  attachments: branches.map((branch) => ({
    name: `${branch.replace('/', '-')}.diff`,
    data: git('diff', '--no-ext-diff', '--no-textconv', `${start}..${branch}`),
  })),
  prompt: `Which of the attached changes does this best: ${task}\n${Output.instructions(verdict)}`,
  output: verdict,
});
console.log(`${output.winner} wins: ${output.reason}`);

await merge(output.winner, { deleteBranch: true });
for (const branch of branches) if (branch !== output.winner) git('branch', '-q', '-D', branch);
console.log(git('log', '--format=%s', `${start}..HEAD`).trim());
