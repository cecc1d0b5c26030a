/** `truecast action publish`: its commit, and the patches and values that it refuses. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';
import { git, temporaryFolder } from '../cli/cli-fixture.ts';
import { git as plainGit } from '../run/fixture.ts';
import { fakeRunner, type FakeRunner, type Stepped } from './fake-runner.ts';

interface Job {
  readonly runner: FakeRunner;
  /** Publishes the changes of a script, which runs in another clone. */
  publish(script: string, inputs?: Readonly<Record<string, string>>): Promise<Stepped>;
  /** Returns the subjects and the paths of a branch of the remote. */
  remote(branch: string): Promise<string>;
}

const copyFilled = repositoryTemplate((path) => {
  plainGit(path, 'init', '-q', '-b', 'main');
  plainGit(path, 'config', 'user.name', 'Test');
  plainGit(path, 'config', 'user.email', 'test@example.invalid');
  for (const name of ['a', 'b']) writeFileSync(join(path, `${name}.txt`), `${name}\n`);
  plainGit(path, 'add', '.');
  plainGit(path, 'commit', '-qm', 'files');
});

const copyBare = repositoryTemplate((path) => {
  const filled = join(temporaryFolder(), 'repo');
  copyFilled(filled);
  plainGit(path, 'clone', '-q', '--bare', filled, path);
});

function publishJob(): Job {
  const runner = fakeRunner();
  const { repo, folder } = runner;
  const at = (name: string): string => join(folder, name);
  rmSync(repo, { recursive: true });
  copyFilled(repo);
  copyBare(at('remote.git'));
  const remote = `[remote "origin"]\n\turl = ${at('remote.git')}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  appendFileSync(join(repo, '.git/config'), remote);
  const hook = join(repo, '.git/hooks/pre-push');
  writeFileSync(hook, '#!/bin/sh\necho hooked >&2; exit 1\n', { mode: 0o755 });
  copyFilled(at('work'));
  return {
    runner,
    async publish(script, inputs = {}) {
      const { execa } = await import('execa');
      await execa('sh', ['-ec', script], { cwd: at('work') });
      await git(at('work'), 'add', '-A');
      const patch = ['diff', '--cached', '--binary', '--full-index', `--output=${at('work.patch')}`, 'HEAD'];
      await git(at('work'), ...patch);
      const all = {
        'patch-file': at('work.patch'),
        branch: 'bot/fix',
        'allow-paths': 'src/\n*.txt',
        ...inputs,
      };
      return runner.step(all, 'publish');
    },
    remote: async (branch) =>
      git(at('remote.git'), 'log', '--format=%s by %an', '--name-status', '--no-renames', '-1', branch),
  };
}

describe('the step', () => {
  it('pushes one commit, runs no hook, and leaves the checkout as it is', async () => {
    const job = publishJob();
    const ended = await job.publish(
      'mkdir -p src/x; echo n > src/x/n.ts; git mv a.txt c.txt; chmod +x b.txt',
      {
        title: 'Fix $(it) "now"',
      },
    );
    expect(ended, ended.log).toMatchObject({
      exitCode: 0,
      outputs: { status: 'published', branch: 'bot/fix' },
    });
    expect(await job.remote('bot/fix')).toBe(
      'Fix $(it) "now" by octo\n\nD\ta.txt\nM\tb.txt\nA\tc.txt\nA\tsrc/x/n.ts',
    );
    expect(await git(job.runner.repo, 'status', '--porcelain')).toBe('');
    expect(await git(job.runner.repo, 'branch')).toBe('* main');
  });

  it.each([
    ['mkdir .github; echo x > .github/w.yml', '.github/w.yml'],
    ['mkdir lib; echo x > lib/x', 'lib/x'],
    ['mkdir -p src/.vscode; echo x > src/.vscode/tasks.json', 'src/.vscode/tasks.json'],
    ['git rm -q a.txt; git mv b.txt lib', 'lib'],
    ['mkdir src; ln -s /etc src/x', 'a link or a submodule'],
    [
      'mkdir src; git init -q src/m; git -C src/m -c user.name=x -c user.email= commit -q --allow-empty -m x',
      'a link or a submodule',
    ],
  ])('refuses the patch of `%s`', async (script, message) => {
    const job = publishJob();
    const ended = await job.publish(script);
    expect(ended, ended.log).toMatchObject({ exitCode: 1, outputs: { status: 'refused' } });
    expect(ended.commands).toEqual([expect.stringContaining(message)]);
    await expect(job.remote('bot/fix')).rejects.toThrow('bot/fix');
  });

  it.each([
    ['+++ b/../outside', '../outside'],
    ['+++ b/.git/hooks/x', '.git/hooks/x'],
  ])('refuses a patch with `%s`, which git does', async (line, path) => {
    const job = publishJob();
    const patch = join(job.runner.folder, 'evil.patch');
    writeFileSync(
      patch,
      `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n${line}\n@@ -0,0 +1 @@\n+x\n`,
    );
    const ended = await job.publish('true', { 'patch-file': patch, 'allow-paths': '**' });
    expect(ended).toMatchObject({ exitCode: 1, outputs: { status: 'refused' } });
    await expect(job.remote('bot/fix')).rejects.toThrow('bot/fix');
  });

  it('accepts a value again by its schema, or publishes nothing', async () => {
    const job = publishJob();
    const value = join(job.runner.folder, 'value.json');
    const inputs = { 'value-file': value, schema: '../s.json' };
    writeFileSync(value, '{"answer":"seven"}');
    const refused = await job.publish('echo c >> a.txt', inputs);
    expect(refused).toMatchObject({ exitCode: 2, outputs: { status: 'refused' } });
    writeFileSync(value, '{"answer":7}');
    expect(await job.publish('true', inputs)).toMatchObject({ outputs: { status: 'published' } });
  });

  it('publishes nothing without a patch, and refuses a name that is no branch', async () => {
    const job = publishJob();
    const without = await job.publish('true', { 'patch-file': 'nothing.patch' });
    expect(without).toMatchObject({ exitCode: 0, outputs: { status: 'unchanged' } });
    const named = await job.publish('echo c >> a.txt', { branch: '--force' });
    expect(named.outputs).toEqual({ status: 'refused' });
  });
});
