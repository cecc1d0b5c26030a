/** Commits outside of the run's branch, on every route by which an agent works on the host's git. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RecoveredRef } from '../../packages/core/src/errors/base/run-evidence.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { createBindMountSandboxProvider } from '../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import { bundledHost } from '../bundled-host.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';
import { onTerminal } from './terminal.ts';

const SCRIPT = `git switch -q -c mine; ${commitLine('b')}; git switch -q -; git checkout -q --detach; ${commitLine('c')}`;
const agent = command({ command: ['sh', '-c', SCRIPT] });
const branchStrategy = { type: 'branch', branch: 'work' } as const;

interface Told {
  readonly commits: readonly unknown[];
  readonly recovered?: readonly RecoveredRef[];
}

/** Checks the result of `SCRIPT`. */
function expectKept(cwd: string, { commits, recovered = [] }: Told): void {
  expect(commits).toEqual([]);
  const kept = recovered.map(({ ref, from }) => [from, git(cwd, 'log', '-1', '--format=%s', ref)]);
  expect(kept).toEqual([
    ['refs/heads/mine', 'add b'],
    ['HEAD', 'add c'],
  ]);
  expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('begin');
}

it('a run in a kept worktree keeps them', async () => {
  const cwd = makeRepository();
  await using worktree = await createWorktree({ cwd, branchStrategy });
  expectKept(cwd, await worktree.run({ agent, sandbox: noSandbox(), prompt: 'p' }));
});

it('a run in a kept sandbox keeps them', async () => {
  const cwd = makeRepository();
  await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
  const result = await sandbox.run({ agent, prompt: 'p' });
  expectKept(cwd, result);
  expect(result.warnings).toHaveLength(2);
});

it('a run in a custom sandbox that works on the git directory of the host keeps them', async () => {
  const cwd = makeRepository();
  const sandbox = createBindMountSandboxProvider({
    name: 'own',
    create: (options) => noSandbox().create(options),
  });
  const result = await run(runOptions(SCRIPT, { cwd, sandbox, branchStrategy }));
  expectKept(cwd, result);
  expect(result.warnings).toHaveLength(2);
});

it('an item of a batch lists them', async () => {
  const cwd = makeRepository();
  const results: Told[] = [];
  await runBatch({
    inputs: [{ task: 'one' }],
    prompt: 'Do {{task}}.',
    out: join(temporaryFolder(), 'results.jsonl'),
    agent,
    sandbox: noSandbox(),
    cwd,
    onResult: (result) => void results.push(result),
  });
  expect(results).toHaveLength(1);
  for (const result of results) expectKept(cwd, result);
});

it('a session on a terminal lists them', async () => {
  const cwd = makeRepository();
  const host = await bundledHost(new URL('interactive-host.ts', import.meta.url));
  const shown = await onTerminal({ args: [host, cwd, SCRIPT, 'merge'], cwd });
  expectKept(cwd, JSON.parse(/RESULT (\{.*\})/u.exec(shown)?.[1] ?? 'null') as Told);
  expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
});
