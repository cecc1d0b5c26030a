/** Tests of failures around an agent: the error names the cause, and the work is kept. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { startGitServer } from '../git-server.ts';
import { matrixCases } from '../matrix.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const merge = { type: 'merge-to-head' } as const;

async function failureOf(result: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await result;
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new TypeError('The run was expected to fail.');
}

describe('an agent that harms its repository', () => {
  it('has its commits kept when it deletes the `.git` of its worktree', async () => {
    const cwd = makeRepository();
    const result = await run(runOptions(`${commitLine('one')}; rm .git`, { cwd, branchStrategy: merge }));
    expect(result.commits).toHaveLength(1);
    expect(git(cwd, 'ls-files')).toBe('a.txt\none');
  });

  it('has the commits of its branch merged when it moves HEAD away, and the others kept', async () => {
    const cwd = makeRepository();
    const script = `${commitLine('one')}; git checkout -q --detach; ${commitLine('two')}`;
    const result = await run(runOptions(script, { cwd, branchStrategy: merge }));
    expect(result.commits).toHaveLength(1);
    expect(git(cwd, 'ls-files')).toBe('a.txt\none');
    expect(git(cwd, 'log', '-1', '--format=%s', result.recovered?.[0]?.ref ?? '')).toBe('add two');
  });

  it('has its uncommitted work kept when a hook refuses its commit', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(cwd, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\necho "not today" >&2\nexit 1\n');
    chmodSync(join(cwd, '.git', 'hooks', 'pre-commit'), 0o755);
    const error = await failureOf(run(runOptions(commitLine('one'), { cwd, branchStrategy: merge })));
    expect(error).toMatchObject({ code: 'exit', commits: [] });
    expect(String(error['stderrTail'])).toContain('not today');
    expect(readFileSync(join(String(error['preservedWorktreePath']), 'one'), 'utf8')).toBe('work\n');
  });
});

describeInBubblewrap('an agent that harms its repository from inside', () => {
  it('is told of it, and its files are kept', async () => {
    const cwd = makeRepository();
    const sandbox = bubblewrap({ egress: 'none' });
    const script = `echo work > one; rm -rf .git "$(git rev-parse --git-common-dir)" 2>/dev/null; true`;
    const options = runOptions(script, { cwd, branchStrategy: merge });
    const error = await failureOf(run({ ...options, sandbox }));
    expect(error).toMatchObject({ name: 'SandboxError', code: 'sync' });
    expect(readFileSync(join(String(error['preservedWorktreePath']), 'one'), 'utf8')).toBe('work\n');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(cwd, '.git', 'config'), 'utf8')).toContain('test@example.invalid');
  });
});

describe('a repository', () => {
  it('with a merge conflict stays as it was, and the message finishes the work when it is followed', async () => {
    const cwd = makeRepository();
    const mine = `cd ${cwd} && echo mine > a.txt && git commit -qam mine`;
    const script = `echo theirs > a.txt; git commit -qam theirs; (${mine})`;
    const error = await failureOf(run(runOptions(script, { cwd, branchStrategy: merge })));
    expect(error).toMatchObject({ code: 'merge-conflict', commits: [expect.anything()] });
    expect(git(cwd, 'status', '--porcelain', '--untracked-files=no')).toBe('');
    const line = /run `([^`]+)`/u.exec(String(error['message']))?.[1] ?? 'false';
    const finished = await execa('sh', ['-c', line], { cwd, reject: false });
    expect(finished.stdout).toContain('CONFLICT');
    git(cwd, 'checkout', '-q', '--theirs', 'a.txt');
    git(cwd, '-c', 'core.editor=true', 'commit', '-qam', 'settled');
    expect(git(cwd, 'show', 'HEAD:a.txt')).toBe('theirs');
  });

  it('with a submodule can be used, and the submodule is unchanged', async () => {
    const cwd = makeRepository();
    const inner = makeRepository('inner');
    git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'module');
    git(cwd, 'commit', '-qm', 'add module');
    const result = await run(runOptions(commitLine('one'), { cwd, branchStrategy: merge }));
    expect(result.commits).toHaveLength(1);
    expect(git(cwd, 'submodule', 'status')).toContain('module');
    expect(git(cwd, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  });

  it('with very many files is checked out whole', async () => {
    const cwd = makeRepository();
    // A mebibyte of names in the index, with few files.
    const folder = Array.from({ length: 15 }, (_, level) =>
      String.fromCodePoint(97 + level).repeat(220),
    ).join('/');
    mkdirSync(join(cwd, folder), { recursive: true });
    for (let index = 0; index < 350; index += 1) {
      writeFileSync(join(cwd, folder, `f${index}`), `${index}\n`);
    }
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-qm', 'many');
    const script = `test "$(git ls-files | wc -l)" = 351 && test -z "$(git status --porcelain)" && ${commitLine('one')}`;
    const result = await run(runOptions(script, { cwd, branchStrategy: merge }));
    expect(result.commits).toHaveLength(1);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});

describe('a session', () => {
  it('whose file is lost is rejected before anything is created', async () => {
    const cwd = makeRepository();
    const agent = claudeCode('claude-opus-4-8', { sessionStorage: { hostProjectsDir: join(cwd, 'none') } });
    const resumeSession = 'b9e4a8d6-9b51-4ad4-8a11-5f3f2ab8c2f1';
    const bin = join(cwd, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    const saved = process.env['PATH'];
    process.env['PATH'] = `${bin}:${saved ?? ''}`;
    try {
      const error = await failureOf(
        run({ ...runOptions('true', { cwd }), agent, session: { resume: resumeSession } }),
      );
      expect(error).toMatchObject({ name: 'UsageError' });
      expect(String(error['message'])).toContain(resumeSession);
      expect(existsSync(join(cwd, '.truecast'))).toBe(false);
    } finally {
      process.env['PATH'] = saved;
    }
  });
});

describe('a full disk', () => {
  it('fails the agent, and keeps what it committed', async () => {
    const host = await bundledHost(new URL('full-disk-host.ts', import.meta.url));
    const folder = makeRepository();
    // A separate disk in separate namespaces: nothing is mounted outside, and no root is needed.
    const script = `mount -t tmpfs -o size=8m tmpfs '${folder}' && exec '${process.execPath}' '${host}' '${folder}'`;
    const { stdout } = await execa('unshare', ['-Urm', 'sh', '-c', script]);
    expect(JSON.parse(stdout)).toEqual({
      code: 'exit',
      commits: 1,
      stderr: expect.stringContaining('No space left on device'),
      keepsWorktree: true,
      nextCommits: 1,
    });
    rmSync(folder, { recursive: true, force: true });
  });

  it('at the merge is a typed error with the evidence, and leaves no draft of a lock', async () => {
    const { error, drafts, isWorkKept } = await runOnDisk('-t tmpfs -o size=4m tmpfs', 'merge-to-head', FILL);
    expect(error).toMatchObject({
      name: 'RepositoryError',
      code: 'disk-full',
      branch: expect.stringMatching(/^truecast\//u) as string,
      commits: [{ sha: expect.any(String) as string }],
      logFilePath: expect.stringMatching(/\.log$/u) as string,
    });
    expect({ drafts, isWorkKept }).toEqual({ drafts: [], isWorkKept: true });
  });

  it('is named for each kind of write, by git and by Truecast', async () => {
    const host = await bundledHost(new URL('full-disk-git-host.ts', import.meta.url));
    const { url } = await startGitServer();
    const folder = makeRepository();
    const script = `mount -t tmpfs -o size=8m tmpfs "$1" && shift && exec "$@"`;
    const command = ['-Urm', 'sh', '-c', script, 'sh', folder, process.execPath, host, folder, url];
    const { stdout } = await execa('unshare', command);
    rmSync(folder, { recursive: true, force: true });
    const writes = ['object', 'reference', 'configuration', 'checkout', 'mergeInMemory', 'fetch', 'copy'];
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(writes.map((write) => [write, 'disk-full'])));
  });

  it('of the log is a warning', async () => {
    const script = `for i in 1 2 3 4 5 6 7 8 9; do head -c 1000000 /dev/zero | tr '\\0' x; done; true`;
    const { error, warnings } = await runOnDisk('-t tmpfs -o size=4m tmpfs', 'head', script, 'run.log');
    expect(error).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^The log is incomplete: .*ENOSPC/u)]);
  });
});

const FILL = 'echo 1 > one && git add one && git commit -qm one; dd if=/dev/zero of=fill bs=4k 2>&1; true';

interface OnDisk {
  readonly error?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  readonly drafts: readonly string[];
  readonly isWorkKept: boolean;
}

/** Runs an agent in a repository on its own disk, in separate namespaces. */
async function runOnDisk(mount: string, ...args: readonly string[]): Promise<OnDisk> {
  const host = await bundledHost(new URL('failing-disk-host.ts', import.meta.url));
  const folder = makeRepository();
  const script = `mount ${mount} "$1" && shift && exec "$@"`;
  const command = ['-Urm', 'sh', '-c', script, 'sh', folder, process.execPath, host, folder, ...args];
  const { stdout } = await execa('unshare', command);
  rmSync(folder, { recursive: true, force: true });
  return JSON.parse(stdout) as OnDisk;
}

describe('a read-only repository', () => {
  it.each(matrixCases(1, ['merge-to-head', 'head']))('is a typed error with %s', async (strategy) => {
    const { error } = await runOnDisk('-t tmpfs -o size=8m tmpfs', strategy, 'true', '', 'read-only');
    expect(error).toMatchObject({ name: 'RepositoryError', code: 'not-writable' });
    expect(error?.['message']).toContain('.git/truecast');
  });
});
