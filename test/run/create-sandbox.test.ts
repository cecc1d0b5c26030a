/** Tests of warm sandboxes over several runs, with real git and real processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createBindMountSandboxProvider } from '../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bundledHost } from '../bundled-host.ts';
import { answerOutput, commitLine, git, makeRepository, PRINT_ANSWER, temporaryFolder } from './fixture.ts';

const WARM_HOST: string = await bundledHost(new URL('warm-host.ts', import.meta.url));

const shell = (script: string, env: Record<string, string> = {}): AgentProvider =>
  command({ command: ['sh', '-c', script], env });

describe('createSandbox()', () => {
  it('keeps files between runs, and returns only the commits of each run', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    const first = await sandbox.run({ agent: shell(`echo kept > note; ${commitLine('one')}`), prompt: 'p' });
    const second = await sandbox.run({ agent: shell(`cat note; ${commitLine('two')}`), prompt: 'p' });
    expect(first.commits).toHaveLength(1);
    expect(second.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'work') }]);
    expect(second.text).toBe('kept\n');
    expect(second.branch).toBe('work');
    expect(sandbox.branch).toBe('work');
    expect(git(cwd, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  });

  it('keeps each commit once that is made on a detached HEAD', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    const agent = shell(`git checkout -q --detach; ${commitLine('one')}`);
    const first = await sandbox.run({ agent, prompt: 'p' });
    const second = await sandbox.run({ agent: shell(commitLine('two')), prompt: 'p' });
    expect([first.commits.length, second.commits.length]).toEqual([0, 0]);
    const kept = [first, second].map(({ recovered = [] }) =>
      recovered.map(({ ref }) => git(cwd, 'log', '-1', '--format=%s', ref)),
    );
    expect(kept).toEqual([['add one'], ['add two']]);
  });

  it('runs its hooks once, and gives typed answers', async () => {
    const cwd = makeRepository();
    const log = join(temporaryFolder(), 'log');
    const hooks = { sandbox: { onSandboxReady: [{ command: `echo hook >> ${log}` }] } };
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd, hooks });
    const asked = { agent: shell(PRINT_ANSWER), prompt: 'Answer in <result>.', output: answerOutput };
    const answers = [await sandbox.run(asked), await sandbox.run(asked)];
    expect(answers.map(({ output }) => output.answer)).toEqual([42, 42]);
    expect(answers[0]?.provenance.mode).toBe('tag');
    expect(readFileSync(log, 'utf8')).toBe('hook\n');
  });

  it('gives each agent its own environment', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({
      branch: 'work',
      sandbox: noSandbox(),
      cwd,
      env: { SHARED: 's' },
    });
    const agent = shell('echo "$SHARED $OWN $RUN"', { OWN: 'o' });
    const { text } = await sandbox.run({ agent, prompt: 'p', env: { RUN: 'r' } });
    const after = await sandbox.exec('echo "$SHARED [$OWN]"');
    expect(text).toBe('s o r\n');
    expect(after).toMatchObject({ stdout: 's []\n', exitCode: 0 });
  });

  it('gives an agent its environment where the sandbox takes none, and no command line shows it', async () => {
    const cwd = makeRepository();
    const commands: string[] = [];
    const plain = createBindMountSandboxProvider({
      name: 'plain',
      async create(options) {
        const handle = await noSandbox().create(options);
        return {
          worktreePath: handle.worktreePath,
          exec: (line, { onLine, cwd: at, sudo, stdin } = {}) => {
            commands.push(line);
            return handle.exec(line, {
              ...(onLine !== undefined && { onLine }),
              ...(at !== undefined && { cwd: at }),
              ...(sudo !== undefined && { sudo }),
              ...(stdin !== undefined && { stdin }),
            });
          },
          close: () => handle.close(),
        };
      },
    });
    await using sandbox = await createSandbox({ branch: 'work', sandbox: plain, cwd });
    const secret = "it's\nsecret";
    const agent = shell('printf %s "$KEY"; cat', { KEY: secret });
    const { text } = await sandbox.run({ agent, prompt: ' prompt' });
    expect(text).toBe(`${secret} prompt\n`);
    expect(commands.join('\n')).not.toContain('secret');
  });

  it('returns the exit code of a command, and runs it in the worktree', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    const lines: string[] = [];
    const result = await sandbox.exec('pwd; cat; exit 3', {
      stdin: 'in',
      onLine: (line) => lines.push(line),
    });
    expect(result.exitCode).toBe(3);
    expect(lines).toEqual([sandbox.worktreePath, 'in']);
  });

  it('keeps a worktree with uncommitted work at its close, and removes a clean one', async () => {
    const cwd = makeRepository();
    const dirty = await createSandbox({ branch: 'dirty', sandbox: noSandbox(), cwd });
    await dirty.exec('echo work > work.txt');
    const clean = await createSandbox({ branch: 'clean', sandbox: noSandbox(), cwd });
    expect(await dirty.close()).toEqual({ preservedWorktreePath: dirty.worktreePath });
    expect(await clean.close()).toEqual({});
    expect(await clean.close()).toEqual({});
    expect(readFileSync(join(dirty.worktreePath, 'work.txt'), 'utf8')).toBe('work\n');
    expect(existsSync(clean.worktreePath)).toBe(false);
    expect(git(cwd, 'branch', '--list', 'clean')).toContain('clean');
  });

  it('keeps the uncommitted work of a worktree that was there before when it cannot be opened', async () => {
    const cwd = makeRepository();
    const first = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    await first.exec('echo precious > precious.txt');
    await first.close();
    const hooks = { sandbox: { onSandboxReady: [{ command: 'exit 1' }] } };
    const onWarning = (): void => undefined;
    await expect(
      createSandbox({ branch: 'work', sandbox: noSandbox(), cwd, hooks, onWarning }),
    ).rejects.toMatchObject({ code: 'hook' });
    expect(readFileSync(join(first.worktreePath, 'precious.txt'), 'utf8')).toBe('precious\n');
  });

  it('holds its branch against another', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    await expect(createSandbox({ branch: 'work', sandbox: noSandbox(), cwd })).rejects.toThrow(
      RepositoryError,
    );
    await sandbox.close();
    await using again = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    expect(again.branch).toBe('work');
  });

  it('starts a new branch at `baseBranch`', async () => {
    const cwd = makeRepository();
    const base = git(cwd, 'rev-parse', 'HEAD');
    git(cwd, 'branch', 'base');
    writeFileSync(join(cwd, 'later.txt'), 'later\n');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'later');
    await using sandbox = await createSandbox({
      branch: 'work',
      baseBranch: 'base',
      sandbox: noSandbox(),
      cwd,
    });
    expect(git(sandbox.worktreePath, 'rev-parse', 'HEAD')).toBe(base);
  });

  it('takes no run after it was closed', async () => {
    const cwd = makeRepository();
    const sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    await sandbox.close();
    await expect(sandbox.exec('true')).rejects.toThrow(/closed/u);
    await expect(sandbox.run({ agent: shell('true'), prompt: 'p' })).rejects.toThrow();
  });

  it('stays usable after a failed run, with that run in its error', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    await expect(
      sandbox.run({ agent: shell(`${commitLine('one')}; exit 9`), prompt: 'p' }),
    ).rejects.toMatchObject({ code: 'exit', branch: 'work', commits: [expect.anything()] });
    const next = await sandbox.run({ agent: shell(commitLine('two')), prompt: 'p' });
    expect(next.commits).toHaveLength(1);
  });

  it.each([
    ['no branch', { branch: '' }],
    ['no sandbox', { sandbox: {} }],
    ['hooks that are none', { hooks: { host: { onWorktreeReady: [{}] } } }],
  ])('refuses %s before anything exists', async (_what, wrong) => {
    const cwd = makeRepository();
    const options: unknown = { branch: 'work', sandbox: noSandbox(), cwd, ...wrong };
    await expect(createSandbox(options as Parameters<typeof createSandbox>[0])).rejects.toThrow(UsageError);
    expect(git(cwd, 'branch', '--list', 'work')).toBe('');
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
  });
});

describe('a process that holds a sandbox', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('closes it at %s, and ends by that signal', async (name) => {
    const cwd = makeRepository();
    const host = execa(process.execPath, [WARM_HOST, cwd], { reject: false });
    const worktreePath = await new Promise<string>((resolve) => {
      host.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    });
    expect(existsSync(worktreePath)).toBe(true);
    host.kill(name);
    const { signal } = await host;
    expect(signal).toBe(name);
    expect(existsSync(worktreePath)).toBe(false);
    await using again = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    expect(again.branch).toBe('work');
  });
});
