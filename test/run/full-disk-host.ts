/**
 * Fills the disk mounted at its argument with an agent's work, frees it, runs again, and prints the
 * results of both runs.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunResult } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { makeDiskRepository } from './make-disk-repository.ts';

const cwd = process.argv[2] ?? '';
makeDiskRepository(cwd);

const work = (script: string): Promise<RunResult> =>
  run({
    agent: command({ command: ['sh', '-c', script] }),
    sandbox: noSandbox(),
    branchStrategy: { type: 'branch', branch: 'work' },
    prompt: 'Work.',
    cwd,
  });

try {
  await work('echo 1 > one && git add one && git commit -qm one && dd if=/dev/zero of=fill bs=64k');
} catch (error) {
  if (!AgentError.isInstance(error)) throw error;
  const worktree = error.preservedWorktreePath ?? '';
  const keepsWorktree = existsSync(join(worktree, 'one'));
  rmSync(join(worktree, 'fill'));
  const next = await work('echo 2 > two && git add two && git commit -qm two');
  const { code, commits, stderrTail } = error;
  const told = {
    code,
    commits: commits.length,
    stderr: stderrTail,
    keepsWorktree,
    nextCommits: next.commits.length,
  };
  process.stdout.write(JSON.stringify(told));
}
