/** Works through the open tasks of TASKS.md, one commit each, until none is left. Run it: `node .truecast/main.ts` */
import { dirname, join } from 'node:path';
import { run } from 'truecast';
import { agent, sandbox } from './agent.ts';

const MAX_TASKS = 5;

const { iterations, commits, branch, completionSignal } = await run({
  agent,
  sandbox,
  cwd: dirname(import.meta.dirname),
  name: 'simple-loop',
  promptFile: join(import.meta.dirname, 'prompt.md'),
  maxIterations: MAX_TASKS,
  // The loop works in a worktree of its own; your checkout changes once, when the loop has ended well.
  branchStrategy: { type: 'merge-to-head' },
  // Dependencies that git does not carry: say how to get them.
  // hooks: { sandbox: { onSandboxReady: [{ command: 'npm ci', timeoutMs: 300_000 }] } },
  logging: { type: 'file', live: process.stderr },
});

console.log(`${iterations.length} iteration(s), ${commits.length} commit(s) on ${branch}`);
console.log(completionSignal === undefined ? `Tasks may be left: run it again.` : 'No task is left.');
