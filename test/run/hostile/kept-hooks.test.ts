/** Hooks that an agent leaves in a worktree that is kept, where the user calls git next. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../../packages/truecast/src/agents/command.ts';
import { createSandbox } from '../../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import type { RunResult } from '../../../packages/truecast/src/run/options/run-options.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from '../fixture.ts';

const HOOKS = ['pre-commit', 'commit-msg', 'reference-transaction', 'post-checkout', 'post-index-change'];

/** A repository whose hooks are files of it, as a hook manager sets it up. */
function makeHooked(): { readonly cwd: string; readonly marker: string; readonly plant: string } {
  const cwd = makeRepository();
  const marker = join(temporaryFolder(), 'marker');
  git(cwd, 'config', 'core.hooksPath', '.husky');
  mkdirSync(join(cwd, '.husky'));
  writeFileSync(join(cwd, '.husky/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'hooks');
  const plant = HOOKS.map(
    (name) => `printf '#!/bin/sh\\ntouch "${marker}"\\n' > .husky/${name}; chmod +x .husky/${name}`,
  ).join('; ');
  return { cwd, marker, plant };
}

/** What a user types in a worktree that was kept. */
function useGit(worktree: string, restores: boolean): void {
  const calls = ['status', 'diff', 'add dirty', 'branch foo', 'commit -q --allow-empty -m x'];
  // These check out the files of the branch, its committed hooks too.
  if (restores) calls.push('stash', 'checkout -q -b bar');
  for (const call of calls) {
    execFileSync('sh', ['-c', `git ${call}; true`], { cwd: worktree, stdio: 'ignore' });
  }
}

const COMMIT = 'git -c core.hooksPath=/nowhere add .husky; git -c core.hooksPath=/nowhere commit -q -m h';
const COMMITTED = `${COMMIT}; echo dirty > dirty`;

const sandbox = bubblewrap({ egress: 'none' });
const onBranch = { sandbox, branchStrategy: { type: 'branch', branch: 'b' } } as const;

describeInBubblewrap('hooks of an agent in a kept worktree', () => {
  it.each([
    ['uncommitted', 'echo dirty > dirty', 'resolves'],
    ['committed', COMMITTED, 'resolves'],
    ['of a failed run', 'echo dirty > dirty; exit 3', 'fails'],
  ])('are moved, named and never run: %s', async (_, end, outcome) => {
    const { cwd, marker, plant } = makeHooked();
    const running = run(runOptions(`${plant}; ${end}`, { cwd, ...onBranch }));
    const result = (await (outcome === 'fails'
      ? running.catch((error: unknown) => error)
      : running)) as RunResult;
    const worktree = result.preservedWorktreePath ?? '';
    useGit(worktree, end !== COMMITTED);
    expect(existsSync(marker)).toBe(false);
    const hooks = result.sensitiveChanges.filter(({ reason }) => reason === 'hook');
    // `post-index-change` is moved before any git call.
    for (const name of HOOKS.slice(0, 4)) {
      const found = hooks.find(({ path }) => path === `.husky/${name}`);
      expect(readFileSync(join(worktree, found?.movedTo ?? ''), 'utf8'), name).toContain(marker);
      if (outcome === 'resolves') expect(result.warnings.join('\n')).toContain(`the hook \`.husky/${name}\``);
    }
  });

  it('are moved when a kept sandbox ends a run, and when it is closed', async () => {
    const { cwd, marker, plant } = makeHooked();
    const kept = await createSandbox({ cwd, branch: 'b', sandbox });
    const agent = command({ command: ['sh', '-c', `${plant}; echo dirty > dirty`] });
    const first = await kept.run({ agent, prompt: 'Work.', logging: { type: 'file' } });
    expect(first.warnings.join('\n')).toContain('the hook `.husky/pre-commit`');
    await kept.exec(plant);
    const closed = await kept.close();
    expect(closed.sensitiveChanges?.filter(({ movedTo }) => movedTo !== undefined).length).toBeGreaterThan(3);
    useGit(kept.worktreePath, true);
    expect(existsSync(marker)).toBe(false);
  });

  it('stay in a clean worktree, which is removed, and on its branch', async () => {
    const { cwd } = makeHooked();
    const plant = 'echo true > .husky/commit-msg; chmod +x .husky/commit-msg';
    const result = await run(runOptions(`${plant}; ${COMMIT}`, { cwd, ...onBranch }));
    expect(result.preservedWorktreePath).toBeUndefined();
    expect(git(cwd, 'ls-tree', '--name-only', 'b', '.husky/')).toContain('.husky/commit-msg');
  });
});
