/**
 * Runs an agent in a new repository on a disk that fails, and prints the result. Its arguments are
 * the repository, the branch strategy, the agent's script, the log and the state of the disk.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { makeDiskRepository } from './make-disk-repository.ts';

const [cwd = '', strategy = '', script = '', log = '', state = ''] = process.argv.slice(2);
makeDiskRepository(cwd);
if (state === 'read-only') execFileSync('mount', ['-o', 'remount,ro', cwd]);

const told: Record<string, unknown> = {};
try {
  const result = await run({
    agent: command({ command: ['sh', '-c', script] }),
    sandbox: noSandbox(),
    branchStrategy: { type: strategy === 'head' ? 'head' : 'merge-to-head' },
    logging: { type: 'file', ...(log !== '' && { path: join(cwd, log) }) },
    prompt: 'Work.',
    cwd,
  });
  told['warnings'] = result.warnings;
} catch (error) {
  const { name, message } = error as Error;
  const { preservedWorktreePath = '' } = error as { readonly preservedWorktreePath?: string };
  told['error'] = { ...(error as object), name, message };
  told['isWorkKept'] = existsSync(join(preservedWorktreePath, 'one'));
}
const locks = join(cwd, '.git', 'truecast', 'locks');
told['drafts'] = existsSync(locks) ? readdirSync(locks).filter((name) => name.startsWith('draft-')) : [];
process.stdout.write(JSON.stringify(told));
