/** The log file that a caller names has the reason of a refused run, with secrets masked. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const SECRET = 'a-secret-of-many-letters';

const REFUSED: Readonly<Record<string, Partial<Record<keyof RunOptions, unknown>>>> = {
  'an invalid option': { maxIterations: 0 },
  'a built-in prompt argument': { promptArgs: { SOURCE_BRANCH: 'x' } },
  'a missing prompt file': { promptFile: `/nowhere/${SECRET}`, prompt: undefined },
  'a session that is not there': { session: { resume: '11111111-2222-4333-8444-555555555555' } },
  'a branch that cannot exist': { branchStrategy: { type: 'branch', branch: 'a..b' } },
  'a missing base branch': { branchStrategy: { type: 'branch', branch: 'new', baseBranch: 'nowhere' } },
};

it.each(Object.entries(REFUSED))('with %s', async (_what, changes) => {
  const path = join(temporaryFolder(), 'run.log');
  const cwd = makeRepository();
  const options = runOptions('true', { cwd, env: { TOKEN: SECRET }, logging: { type: 'file', path } });
  const error: unknown = await run({ ...options, ...changes } as RunOptions).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const { message } = error as Error;
  const log = readFileSync(path, 'utf8');
  expect(log).toContain(message.replaceAll(SECRET, '***').split('\n')[0]?.slice(0, 60));
  expect(log).not.toContain(SECRET);
});

it('of a branch in use is there too, and the default log of the other run is not touched', async () => {
  const cwd = makeRepository();
  const path = join(temporaryFolder(), 'run.log');
  const branchStrategy = { type: 'branch', branch: 'used' } as const;
  await using kept = await createWorktree({ cwd, branchStrategy });
  await expect(
    run(runOptions('true', { cwd, branchStrategy, logging: { type: 'file', path } })),
  ).rejects.toMatchObject({ code: 'locked' });
  expect(readFileSync(path, 'utf8')).toContain('used');
  expect(git(cwd, 'branch', '--list', kept.branch)).toContain('used');
});

it('is not written without a name, and a path that cannot be written hides no reason', async () => {
  const cwd = makeRepository();
  const folder = temporaryFolder();
  await expect(run(runOptions('true', { cwd, maxIterations: 0 }))).rejects.toThrow('`maxIterations`');
  const logging = { type: 'file', path: join(folder, 'no', 'folder', 'run.log') } as const;
  await expect(run(runOptions('true', { cwd, maxIterations: 0, logging }))).rejects.toThrow(
    '`maxIterations`',
  );
  const badPath = { type: 'file', path: 7 as never } as const;
  await expect(run(runOptions('true', { cwd, maxIterations: 0, logging: badPath }))).rejects.toThrow(
    '`maxIterations`',
  );
  // What is no logging at all is refused before the values of other options.
  await expect(
    run({ ...runOptions('true', { cwd }), maxIterations: 0, logging: 7 as never }),
  ).rejects.toThrow('for `logging`, got `7` (number)');
  expect(readdirSync(folder).filter((name) => name !== 'no')).toEqual([]);
  expect(existsSync(join(cwd, 'run.log'))).toBe(false);
});

it('does not create the missing directory that it reports', async () => {
  const cwd = join(temporaryFolder(), 'missing');
  const logging = { type: 'file', path: join(cwd, '.git/run.log') } as const;
  await expect(run(runOptions('true', { cwd, logging }))).rejects.toThrow('does not exist');
  expect(existsSync(cwd)).toBe(false);
});
