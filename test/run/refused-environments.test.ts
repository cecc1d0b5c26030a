/**
 * Environments that no process can have: each route refuses them before it creates anything, names
 * the variable and never its value, and leaves no listener for signals.
 */
import { describe, expect, it } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { interactive } from '../../packages/truecast/src/run/interactive.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { matrixColumns } from '../matrix.ts';
import { git, makeRepository } from './fixture.ts';

type Env = Readonly<Record<string, string>>;

const agent = command({ command: ['true'] });
const sandbox = noSandbox();
const named = { type: 'branch', branch: 'kept' } as const;

/** What each route does with an environment. */
const ROUTES = {
  run: (cwd, env) => run({ cwd, env, agent, sandbox, prompt: 'x' }),
  'the sandbox of run': (cwd, env) => run({ cwd, agent, sandbox: { ...sandbox, env }, prompt: 'x' }),
  'the agent of run': (cwd, env) => run({ cwd, agent: { ...agent, env }, sandbox, prompt: 'x' }),
  batch: (cwd, env) => runBatch({ cwd, env, agent, sandbox, prompt: 'x', inputs: [{ id: 'a' }] }),
  interactive: (cwd, env) => interactive({ cwd, env, agent, prompt: 'x' }),
  createSandbox: (cwd, env) => createSandbox({ cwd, env, sandbox, branch: 'kept' }),
  'run in a kept sandbox': async (cwd, env) => {
    await using kept = await createSandbox({ cwd, sandbox, branch: 'kept' });
    return await kept.run({ env, agent, prompt: 'x' });
  },
  'interactive in a kept sandbox': async (cwd, env) => {
    await using kept = await createSandbox({ cwd, sandbox, branch: 'kept' });
    return await kept.interactive({ env, agent, prompt: 'x' });
  },
  'run in a kept worktree': async (cwd, env) => {
    await using kept = await createWorktree({ cwd, branchStrategy: named });
    return await kept.run({ env, agent, sandbox, prompt: 'x' });
  },
  'a sandbox of a kept worktree': async (cwd, env) => {
    await using kept = await createWorktree({ cwd, branchStrategy: named });
    return await kept.createSandbox({ env, sandbox });
  },
  'interactive in a kept worktree': async (cwd, env) => {
    await using kept = await createWorktree({ cwd, branchStrategy: named });
    return await kept.interactive({ env, agent, prompt: 'x' });
  },
} satisfies Record<string, (cwd: string, env: Env) => Promise<unknown>>;

/** As JavaScript passes them. */
const ENVIRONMENTS: Readonly<Record<string, readonly [env: unknown, names: string]>> = {
  'a number': [{ SECRET: 70_123_456 }, 'env.SECRET'],
  null: [{ SECRET: null }, 'env.SECRET'],
  'a NUL character': [{ SECRET: '70123456\0' }, 'env.SECRET'],
  'a name with an equals sign': [{ 'A=B': '70123456' }, 'A=B'],
  'a list': [['SECRET=70123456'], 'env'],
};

const listeners = (): readonly number[] =>
  (['SIGINT', 'SIGTERM'] as const).map((name) => process.listenerCount(name));

const routes = Object.entries(ROUTES).map(([route, start], row) => ({ route, start, row }));

describe.each(routes)('$route', ({ start, row }) => {
  it.each(matrixColumns(row, Object.entries(ENVIRONMENTS), { rows: routes.length }))(
    'refuses %s by name',
    async (_what, [env, name]) => {
      const cwd = makeRepository();
      const before = listeners();
      const error: unknown = await start(cwd, env as Env).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining(name) as string });
      expect(String(error)).not.toContain('70123456');
      expect(listeners()).toEqual(before);
      expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
      expect(git(cwd, 'status', '--porcelain')).toBe('');
    },
  );
});
