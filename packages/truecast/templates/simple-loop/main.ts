/**
 * Works through the open tasks of TASKS.md, one commit each, until all are done.
 *
 * Run it: `node .truecast/main.ts`
 */
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
  // The loop works in its own worktree. Your checkout changes once, after the loop has succeeded.
  branchStrategy: { type: 'merge-to-head' },
  // Git does not copy dependencies. To install them:
  // hooks: { sandbox: { onSandboxReady: [{ command: 'npm ci', timeoutMs: 300_000 }] } },
  logging: { type: 'file', live: process.stderr },
});

console.log(`${iterations.length} iteration(s), ${commits.length} commit(s) on ${branch}`);
console.log(completionSignal === undefined ? `Tasks may be left: run it again.` : 'No task is left.');
