/**
 * Process that runs an agent in a repository and is killed by a test. Its arguments are the
 * repository, the agent's script, the sandbox and the branch strategy.
 */
import { readFileSync } from 'node:fs';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const [cwd = '', script = '', sandbox = '', type = 'merge-to-head'] = process.argv.slice(2);
await run({
  agent: command({ command: ['sh', '-c', readFileSync(script, 'utf8')] }),
  sandbox: sandbox === 'bubblewrap' ? bubblewrap({ egress: 'none' }) : noSandbox(),
  ...(type !== 'default' && { branchStrategy: { type: type === 'head' ? 'head' : 'merge-to-head' } }),
  prompt: 'Work.',
  cwd,
});
