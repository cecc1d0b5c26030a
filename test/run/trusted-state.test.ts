import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { answerOutput, git, makeRepository, PRINT_ANSWER, runOptions, temporaryFolder } from './fixture.ts';

/** Writes a file of a repository, including its folders. */
function write(repository: string, path: string, content: string): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), content);
}

/** Commits a link from an untrusted author or an agent. */
function commitLink(repository: string, path: string, target: string): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  symlinkSync(target, join(repository, path));
  git(repository, 'add', '-f', path);
  git(repository, 'commit', '-q', '-m', 'link');
}

const onBranch = { branchStrategy: { type: 'branch', branch: 'agent' } } as const;

describe('logs and outcomes', () => {
  it('are outside of the checkout, for the user alone, whatever the repository has committed', async () => {
    const cwd = makeRepository();
    const target = join(temporaryFolder(), 'bashrc');
    writeFileSync(target, 'untouched');
    commitLink(cwd, '.truecast/outcomes.jsonl', target);
    commitLink(cwd, '.truecast/logs/agent.log', target);
    const result = await run({ ...runOptions(PRINT_ANSWER, { cwd }), ...onBranch, output: answerOutput });
    const state = stateFolderOf(cwd);
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(result.logFilePath).toBe(join(state, 'logs', 'agent.log'));
    for (const path of [join(state, 'outcomes.jsonl'), result.logFilePath ?? '']) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(statSync(state).mode & 0o777).toBe(0o700);
  });

  it('cannot be kept where the state folder cannot be created: the run is refused by name, with nothing created', async () => {
    const cwd = makeRepository();
    const saved = process.env['XDG_STATE_HOME'];
    process.env['XDG_STATE_HOME'] = join(cwd, 'a.txt');
    try {
      await expect(run({ ...runOptions('true', { cwd }), ...onBranch })).rejects.toMatchObject({
        code: 'no-state-folder',
        message: expect.stringContaining('XDG_STATE_HOME'),
      });
    } finally {
      process.env['XDG_STATE_HOME'] = saved;
    }
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
    expect(git(cwd, 'branch', '--list', 'agent')).toBe('');
  });

  it('are refused below a checkout where a link leads elsewhere', async () => {
    const cwd = makeRepository();
    const target = join(temporaryFolder(), 'bashrc');
    writeFileSync(target, 'untouched');
    commitLink(cwd, 'out/agent.log', target);
    const path = join(cwd, 'out/agent.log');
    const refused = { code: 'unsafe-path', message: expect.stringContaining('a symbolic link') };
    const logged = runOptions('echo text', { cwd, logging: { type: 'file', path } });
    await expect(run(logged)).rejects.toMatchObject(refused);
    const recorded = runOptions('echo text', { cwd, logging: { record: path } });
    await expect(run(recorded)).rejects.toThrow('a symbolic link');
    expect(readFileSync(target, 'utf8')).toBe('untouched');
  });
});

describe('a prompt file', () => {
  it('is not read through a link in the checkout, nor from a pipe or an endless file there', async () => {
    const cwd = makeRepository();
    write(temporaryFolder(), 'x', '');
    commitLink(cwd, 'prompts/secret.md', '/etc/passwd');
    commitLink(cwd, 'folder', '/etc');
    commitLink(cwd, 'zero.md', '/dev/zero');
    execFileSync('mkfifo', [join(cwd, 'pipe.md')]);
    for (const path of ['prompts/secret.md', 'folder/passwd', 'zero.md', 'pipe.md']) {
      await expect(run(runOptions('cat', { cwd, promptFile: join(cwd, path) })), path).rejects.toThrow(
        /a symbolic link|a named pipe/u,
      );
    }
  });

  it('is read from a pipe that the caller made outside of checkouts', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    execFileSync('sh', ['-c', `echo hello > ${pipe} &`], { stdio: 'ignore' });
    const result = await run(runOptions('cat', { promptFile: pipe }));
    expect(result.stdout).toContain('hello');
  });
});

describe('`.truecast/.env`', () => {
  it('is refused where git tracks it, and read after the repair that the message names', async () => {
    const cwd = makeRepository();
    write(cwd, '.truecast/.env', 'FROM_FILE=value\n');
    git(cwd, 'add', '-f', '.truecast/.env');
    git(cwd, 'commit', '-q', '-m', 'env');
    const options = runOptions('echo "<$FROM_FILE>"', { cwd });
    await expect(run(options)).rejects.toMatchObject({
      code: 'untrusted-env-file',
      message: expect.stringContaining('git rm --cached .truecast/.env'),
    });
    git(cwd, 'rm', '-q', '--cached', '.truecast/.env');
    expect((await run(options)).stdout).toContain('<value>');
  });

  it('is refused where it comes with a submodule', async () => {
    const cwd = makeRepository();
    const other = makeRepository('other');
    write(other, '.env', 'FROM_FILE=value\n');
    git(other, 'add', '-f', '.env');
    git(other, 'commit', '-q', '-m', 'env');
    git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, '.truecast');
    git(cwd, 'commit', '-q', '-m', 'submodule');
    await expect(run(runOptions('true', { cwd }))).rejects.toMatchObject({ code: 'untrusted-env-file' });
  });

  it('is refused where it is a link, a pipe or too large', async () => {
    const cwd = makeRepository();
    const path = join(cwd, '.truecast/.env');
    write(temporaryFolder(), 'x', '');
    const makers = [
      () => symlinkSync('/dev/zero', path),
      () => void execFileSync('mkfifo', [path]),
      () => writeFileSync(path, `A=${'x'.repeat(1024 * 1024)}`),
    ];
    mkdirSync(dirname(path));
    for (const make of makers) {
      make();
      await expect(run(runOptions('true', { cwd }))).rejects.toMatchObject({ code: 'unsafe-path' });
      rmSync(path);
    }
  });

  it('is refused in a worktree where agents worked', async () => {
    const cwd = makeRepository();
    const kept = await run({
      ...runOptions('mkdir .truecast; echo A=1 > .truecast/.env', { cwd }),
      ...onBranch,
    });
    const worktree = kept.preservedWorktreePath ?? '';
    expect(readFileSync(join(worktree, '.truecast/.env'), 'utf8')).toBe('A=1\n');
    await expect(run(runOptions('true', { cwd: worktree }))).rejects.toMatchObject({
      code: 'untrusted-env-file',
      message: expect.stringContaining(worktree),
    });
  });
});

describe('the folder `.truecast`', () => {
  it.each(['.truecast', '.truecast/worktrees'])('as a link at `%s` is a clear error', async (path) => {
    const cwd = makeRepository();
    const target = temporaryFolder();
    commitLink(cwd, path, target);
    await expect(run({ ...runOptions('true', { cwd }), ...onBranch })).rejects.toMatchObject({
      code: 'unsafe-path',
      message: expect.stringContaining(join(cwd, path)),
    });
    expect(readdirSync(target)).toEqual([]);
    expect(git(cwd, 'branch', '--list', 'agent')).toBe('');
  });

  it('keeps worktrees out of `git add -A`, also where the repository brings ignore files that show them', async () => {
    const cwd = makeRepository();
    write(cwd, '.truecast/.gitignore', '!worktrees\n!.env\n');
    write(cwd, '.truecast/worktrees/.gitignore', '!*\n');
    git(cwd, 'add', '-f', '.');
    git(cwd, 'commit', '-q', '-m', 'ignore nothing');
    const kept = await run({ ...runOptions('echo secret > kept.txt', { cwd }), ...onBranch });
    expect(lstatSync(join(kept.preservedWorktreePath ?? '', 'kept.txt')).isFile()).toBe(true);
    git(cwd, 'add', '-A');
    expect(git(cwd, 'diff', '--cached', '--name-only')).toBe('.truecast/worktrees/.gitignore');
  });
});

describe('a commit of a reserved name', () => {
  it.each([
    ['.truecast/.env', 'echo ANTHROPIC_BASE_URL=http://127.0.0.1:9 > .truecast/.env'],
    ['.truecast/worktrees', 'ln -s /tmp .truecast/worktrees'],
    ['.truecast/prompt.md', 'ln -s /etc/passwd .truecast/prompt.md'],
    ['.truecast/logs/agent.log', 'mkdir .truecast/logs; ln -s ~/.bashrc .truecast/logs/agent.log'],
  ])('is not merged: %s', async (path, script) => {
    const cwd = makeRepository();
    const work = `mkdir .truecast; ${script}; git add -f .truecast; git commit -q -m work`;
    const merging = run({ ...runOptions(work, { cwd }), branchStrategy: { type: 'merge-to-head' } });
    await expect(merging).rejects.toMatchObject({
      code: 'sensitive-changes',
      sensitiveChanges: [expect.objectContaining({ path, reason: 'reserved-name', change: 'added' })],
    });
    expect(git(cwd, 'ls-files')).toBe('a.txt');
  });
});
