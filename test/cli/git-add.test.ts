/** Tests that `git add -A` adds no secret, log or database after any command that creates files. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, makeRepository, temporaryFolder, truecast } from './cli-fixture.ts';
import { serveBeside } from './serve-fixture.ts';

const SECRET = 'sk-planted-0123456789';

/** Returns the files that `git add -A` would add. The index is not changed. */
async function added(cwd: string): Promise<readonly string[]> {
  await git(cwd, 'add', '-A');
  const names = (await git(cwd, 'diff', '--cached', '--name-only')).split('\n').filter((name) => name !== '');
  await git(cwd, 'reset', '-q');
  return names;
}

it('adds what people edit, and nothing else', { timeout: 240_000 }, async () => {
  const cwd = makeRepository();
  const home = process.env['XDG_STATE_HOME'] ?? '';
  const config = join(temporaryFolder(), 'config.mjs');
  writeFileSync(config, "export default { workspace: { sandbox: 'none' } };\n");
  const run = [
    'run',
    '--agent',
    `command:printf '<result>{"answer":1}</result>'; echo work > kept.txt`,
    '--sandbox',
    'none',
  ];
  const flags = ['--prompt', 'Answer in <result>.', '--tag', 'result', '--schema', '../s.json', '--json'];

  expect((await truecast(cwd, ...run, ...flags)).exitCode).toBe(0);
  expect(readdirSync(join(cwd, '.truecast', 'worktrees')).length).toBeGreaterThan(1);
  expect(await added(cwd)).toEqual([]);

  expect((await truecast(cwd, 'token', 'create', '--name', 'ci')).exitCode).toBe(0);
  {
    await using server = await serveBeside(cwd, ['--config', config]);
    expect(server.token).toMatch(/^tc_/u);
    await server.end('SIGTERM');
  }
  expect(readdirSync(join(cwd, '.truecast')).toSorted()).toEqual(['.gitignore', 'workspaces', 'worktrees']);
  expect(await added(cwd)).toEqual([]);

  const init = await truecast(
    cwd,
    'init',
    '--yes',
    '--sandbox',
    'none',
    '--template',
    'blank',
    '--no-install',
    '--json',
  );
  expect(init.exitCode, init.stderr).toBe(0);
  writeFileSync(join(cwd, '.truecast', '.env'), `ANTHROPIC_API_KEY=${SECRET}\n`);
  const names = await added(cwd);
  expect(names).toContain('.truecast/.env.example');
  expect(
    names.filter((name) => /\.env$|sqlite|server\.json|\.log|outcomes|worktrees|workspaces/u.test(name)),
  ).toEqual([]);

  const database = join('data', 'chats.sqlite');
  mkdirSync(join(cwd, 'data'));
  expect((await truecast(cwd, 'token', 'list', '--database-url', database)).exitCode).toBe(0);
  expect(await added(cwd)).toEqual(names);
  expect(readdirSync(join(home, 'truecast')).some((name) => name.startsWith('repo-'))).toBe(true);
});
