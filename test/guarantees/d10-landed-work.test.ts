/** Tests of D10: git fails after a landing, when worktrees and branches are cleaned up. */
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { commitLine, git, makeRepository } from '../run/fixture.ts';
import { replaceGitAfterLanding } from '../run/git-after-landing.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';

const REASON = 'fatal: the disk is gone';

/** Commands that clean up after a landing. */
const CLEANUPS = ['status', 'worktree remove', 'worktree prune', 'branch -D', 'update-ref -d'];

/** Lands work on `main` while every clean-up fails: the call succeeds, and a warning has the reason. */
async function landBroken(land: (cwd: string) => Promise<readonly string[]>): Promise<void> {
  const cwd = makeRepository();
  replaceGitAfterLanding({
    cwd,
    file: 'work.txt',
    commands: CLEANUPS,
    instead: `echo '${REASON}' >&2; exit 128`,
  });
  const warnings = await land(cwd);
  expect(git(cwd, 'show', 'main:work.txt')).toBe('work');
  expect(warnings.join('\n')).toContain(REASON);
}

const onRoute = (route: AgentRouteName) => (): Promise<void> =>
  landBroken(async (repository) => {
    const ended = await AGENT_ROUTES[route]({
      repository,
      script: commitLine('work.txt'),
      strategy: 'merge-to-head',
    });
    expect(ended.isAccepted, ended.message).toBe(true);
    return ended.warnings;
  });

const agent = command({ command: ['sh', '-c', commitLine('work.txt')] });

function closeSandbox(): Promise<void> {
  return landBroken(async (cwd) => {
    const warnings: string[] = [];
    const sandbox = await createSandbox({
      cwd,
      branch: 'work',
      sandbox: noSandbox(),
      onWarning: (text) => void warnings.push(text),
    });
    await sandbox.run({ agent, prompt: 'Work.' });
    await sandbox.close({ merge: { deleteBranch: true } });
    return warnings;
  });
}

function mergeBranch(): Promise<void> {
  return landBroken(async (cwd) => {
    git(cwd, 'switch', '-q', '-c', 'work');
    execFileSync('sh', ['-c', commitLine('work.txt')], { cwd });
    git(cwd, 'switch', '-q', 'main');
    const warnings: string[] = [];
    const merged = await merge('work', {
      cwd,
      deleteBranch: true,
      onWarning: (text) => void warnings.push(text),
    });
    expect(merged.isMerged).toBe(true);
    return warnings;
  });
}

declareGuarantee('D10', {
  'run/none': onRoute('run/none'),
  'run/bubblewrap': onRoute('run/bubblewrap'),
  'run/podman': onRoute('run/podman'),
  kept: closeSandbox,
  batch: onRoute('batch'),
  merge: mergeBranch,
  command: onRoute('command'),
});
