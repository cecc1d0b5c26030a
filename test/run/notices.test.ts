/** Notices on stderr of a program that sets no `logging`. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { commitLine, git, makeRepository, temporaryFolder } from './fixture.ts';

const HOST = await bundledHost(new URL('running-host.ts', import.meta.url));

it('a run that a signal stops says where its log is, and then where its work is', async () => {
  const cwd = makeRepository();
  const folder = temporaryFolder();
  const script = join(folder, 'script');
  writeFileSync(script, `${commitLine('b.txt')}; touch ${folder}/ready; sleep 300`);
  const host = execa(process.execPath, [HOST, cwd, script, 'none'], { reject: false });
  await expect.poll(() => existsSync(join(folder, 'ready')), { timeout: 30_000 }).toBe(true);
  host.kill('SIGINT');
  const { stdout, stderr, signal } = await host;
  const branch = git(cwd, 'branch', '--format=%(refname:short)', '--list', 'truecast/*');
  const lines = stderr.split('\n');
  expect({ stdout, signal, lines: lines.length }).toEqual({ stdout: '', signal: 'SIGINT', lines: 2 });
  expect(lines[0]).toMatch(/^truecast: command works on branch truecast\/\S+\. Log: \/\S+\.log$/u);
  expect(lines[0]).toContain(branch);
  expect(lines[1]).toContain(`truecast: SIGINT stopped the run. Branch: ${branch} (1 commit). Worktree: `);
  expect(lines[1]).toMatch(/ Worktree: \/\S+\/\.truecast\/worktrees\/\S+ Log: \/\S+\.log$/u);
});

it('a run that ends by itself prints one line', async () => {
  const cwd = makeRepository();
  const script = join(temporaryFolder(), 'script');
  writeFileSync(script, 'true');
  const { stdout, stderr } = await execa(process.execPath, [HOST, cwd, script, 'none', 'head']);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^truecast: command works on branch main\. Log: \/\S+\.log$/u);
});

it('a run that chose its branch prints how to merge it', async () => {
  const cwd = makeRepository();
  const script = join(temporaryFolder(), 'script');
  writeFileSync(script, commitLine('b.txt'));
  const { stderr } = await execa(process.execPath, [HOST, cwd, script, 'none', 'default']);
  const branch = git(cwd, 'branch', '--format=%(refname:short)', '--list', 'truecast/*');
  expect(stderr.split('\n')[1]).toBe(`truecast: 1 commit on branch ${branch}. To merge: git merge ${branch}`);
});
