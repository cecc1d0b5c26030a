/**
 * Three agents at once, one branch and one row of the terminal each, and one merge after the other: a branch
 * lands only if the check passes on its merge. Start it in a repository.
 */
import assert from 'node:assert/strict';
import { bubblewrap, claudeCode, command, merge, noSandbox, run } from 'truecast';

// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };
const test = process.env['TRUECAST_CHECK_COMMAND'] ?? 'npm test';

const tasks = { login: 'Fix the login.', logout: 'Fix the logout.', guide: 'Update the guide.' };
const runs = Object.entries(tasks).map(([name, task]) =>
  run({
    ...place,
    name,
    logging: { type: 'file', live: process.stderr },
    branchStrategy: { type: 'branch', branch: `agent/${name}` },
    prompt: `${task} Commit your work.`,
  }),
);
const branches: string[] = [];
for (const { branch, commits } of await Promise.all(runs)) if (commits.length > 0) branches.push(branch);

const { merged, kept } = await merge(branches, {
  sandbox: place.sandbox,
  deleteBranch: true,
  check: async ({ exec }) => {
    const { exitCode, stdout, stderr } = await exec(test);
    return exitCode === 0 ? undefined : `\`${test}\` fails. ${`${stdout}${stderr}`.slice(-2_000)}`;
  },
});
assert.equal(merged.length + kept.length, branches.length);
for (const { branch, sha } of merged) console.log('landed', branch, sha);
for (const { branch, error } of kept) console.log('kept', branch, error.code);
