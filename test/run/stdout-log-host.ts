/** Process that runs an agent and logs to stdout. Its arguments are the repository and a script. */
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const [cwd = '', script = ''] = process.argv.slice(2);
await run({
  agent: command({ command: ['sh', script] }),
  sandbox: noSandbox(),
  branchStrategy: { type: 'merge-to-head' },
  logging: { type: 'stdout', verbose: true },
  prompt: 'Work.',
  cwd,
}).catch(() => undefined);
