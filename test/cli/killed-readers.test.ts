/** Tests of a read-only batch that was killed with SIGKILL: the next run removes its worktrees. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { git, MAIN, makeRepository, truecast } from './cli-fixture.ts';

const SHARED = ['--sandbox', 'none', '--tag', 'result', '--schema', '../s.json'];

/** Starts a batch with one item, kills it when the agent has done its work, and ends its agent. */
async function killBatch(repo: string, script: string, ...more: readonly string[]): Promise<void> {
  const temporary = join(repo, '..', `tmp-${Math.random()}`);
  mkdirSync(temporary);
  writeFileSync(join(repo, '..', 'items.jsonl'), '{"N":1}\n');
  const ready = `echo $$ > '${temporary}/draft'; mv '${temporary}/draft' '${temporary}/ready'`;
  const agent = ['--agent', `command:${script}; ${ready}; exec sleep 60`];
  const batch = ['batch', '--inputs', '../items.jsonl', '--prompt', 'In <result>: {{N}}', ...SHARED];
  const child = execa(process.execPath, [MAIN, ...batch, ...agent, ...more], {
    cwd: repo,
    reject: false,
    env: { HOME: temporary, TMPDIR: temporary },
  });
  const ended = child.then(({ stderr }) => {
    throw new Error(`The batch ended early: ${stderr}`);
  });
  ended.catch(() => undefined);
  while (!existsSync(join(temporary, 'ready'))) await Promise.race([sleep(20), ended]);
  child.kill('SIGKILL');
  await child;
  process.kill(Number(readFileSync(join(temporary, 'ready'), 'utf8')), 'SIGKILL');
}

async function runOnce(repo: string): Promise<void> {
  const agent = `command:echo '<result>{"answer":1}</result>'`;
  const ended = await truecast(repo, 'run', ...SHARED, '--prompt', 'In <result>', '--agent', agent);
  expect(ended.exitCode, ended.stderr).toBe(0);
}

function worktrees(repo: string): string[] {
  return readdirSync(join(repo, '.truecast', 'worktrees')).filter((name) => name !== '.gitignore');
}

const branches = (repo: string): Promise<string> => git(repo, 'branch', '--format=%(refname:short)');

it('the next run removes the read-only worktree of a killed batch, and its branch', async () => {
  const repo = makeRepository();
  await killBatch(repo, 'true', '--read-only');
  expect(worktrees(repo)).toHaveLength(1);
  await runOnce(repo);
  expect(worktrees(repo)).toEqual([]);
  expect(await branches(repo)).toBe('main');
});

it.each([
  ['a file', 'echo x > notes.txt'],
  ['a commit', 'git commit -q --allow-empty -m work'],
  [
    'a commit that its HEAD left',
    'git checkout -q --detach; git commit -q --allow-empty -m a; git checkout -q -',
  ],
])('the next run keeps the read-only worktree of a killed batch with %s', async (_, script) => {
  const repo = makeRepository();
  await killBatch(repo, script, '--read-only');
  await runOnce(repo);
  expect(worktrees(repo)).toHaveLength(1);
});

it('the next run keeps the worktree of a killed batch that writes', async () => {
  const repo = makeRepository();
  await killBatch(repo, 'true');
  await runOnce(repo);
  expect(worktrees(repo)).toHaveLength(1);
});
