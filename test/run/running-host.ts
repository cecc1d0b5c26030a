/** A process that runs an agent in a repository and is killed by a test: its arguments are the repository, the agent's script, and the sandbox. */
import { readFileSync } from 'node:fs';
import { command } from '../../src/run/agents/command.ts';
import { run } from '../../src/run/run.ts';
import { bubblewrap } from '../../src/run/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../src/run/sandboxes/no-sandbox.ts';

const [cwd = '', script = '', sandbox = ''] = process.argv.slice(2);
await run({
  agent: command({ command: ['sh', '-c', readFileSync(script, 'utf8')] }),
  sandbox: sandbox === 'bubblewrap' ? bubblewrap({ egress: 'none' }) : noSandbox(),
  branchStrategy: { type: 'merge-to-head' },
  prompt: 'Work.',
  cwd,
});
