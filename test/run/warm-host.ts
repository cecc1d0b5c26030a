/**
 * Process that holds a sandbox open until it receives a signal. Its argument is the repository.
 * Prints the worktree's path.
 */
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd: process.argv[2] ?? '' });
process.stdout.write(`${sandbox.worktreePath}\n`);
await sandbox.exec('sleep 300').catch(() => undefined);
