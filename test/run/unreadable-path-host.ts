/** Runs an agent as the user that this process has, and prints what came of it. Its argument is the repository. */
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const [cwd = ''] = process.argv.slice(2);
const { commits, warnings } = await run({
  agent: command({ command: ['sh', '-c', 'echo 1 > f && git add f && git commit -q -m f'] }),
  sandbox: noSandbox(),
  branchStrategy: { type: 'head' },
  logging: { type: 'file' },
  prompt: 'Work.',
  cwd,
});
process.stdout.write(JSON.stringify({ commits: commits.length, warnings }));
