/** Tests of hooks around real sandboxes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxError } from '../../packages/core/src/errors/sandbox-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { answerOutput, commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const merge = { type: 'merge-to-head' } as const;

describe('hooks', () => {
  it('run when worktree and sandbox are ready, before the agent, in the worktree', async () => {
    const log = join(temporaryFolder(), 'log');
    const say = (word: string): string => `echo "${word} $(basename "$PWD" | cut -c1-8)" >> ${log}`;
    await run(
      runOptions(say('agent'), {
        branchStrategy: merge,
        hooks: {
          host: {
            onWorktreeReady: [{ command: say('first') }, { command: say('second') }],
            onSandboxReady: [{ command: `sleep 0.2; ${say('third')}` }],
          },
          sandbox: { onSandboxReady: [{ command: say('inside') }] },
        },
      }),
    );
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toEqual([
      'first truecast',
      'second truecast',
      'inside truecast',
      'third truecast',
      'agent truecast',
    ]);
  });

  it('see what `copyToWorktree` brought', async () => {
    const cwd = makeRepository();
    const log = join(temporaryFolder(), 'log');
    git(cwd, 'config', 'core.excludesFile', '/dev/null');
    writeFileSync(join(cwd, '.env.local'), 'copied\n');
    await run(
      runOptions('true', {
        cwd,
        branchStrategy: { type: 'branch', branch: 'copies' },
        copyToWorktree: ['.env.local'],
        hooks: { host: { onWorktreeReady: [{ command: `cp .env.local ${log}` }] } },
      }),
    );
    expect(readFileSync(log, 'utf8')).toBe('copied\n');
  });

  it.each(['host.onWorktreeReady', 'host.onSandboxReady', 'sandbox.onSandboxReady'])(
    'of %s that fail end the run before the agent, and leave nothing behind',
    async (name) => {
      const cwd = makeRepository();
      const [where = '', when = ''] = name.split('.');
      const hooks = { [where]: { [when]: [{ command: 'echo wrong >&2; exit 7' }] } };
      const error: unknown = await run(
        runOptions('touch ../../ran', { cwd, branchStrategy: merge, hooks }),
      ).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SandboxError);
      expect(error).toMatchObject({ code: 'hook', exitCode: 7, stderrTail: 'wrong\n' });
      expect(String(error)).toContain(name);
      expect(git(cwd, 'branch', '--list', 'truecast/*')).toBe('');
      expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
      expect(existsSync(join(cwd, '.truecast', 'ran'))).toBe(false);
    },
  );

  it('that run beside one that fails are ended with it', async () => {
    const sandbox = { onSandboxReady: [{ command: 'sleep 300' }, { command: 'exit 7' }] };
    await expect(run(runOptions('true', { hooks: { sandbox } }))).rejects.toMatchObject({ exitCode: 7 });
  });

  it('are ended, children and all, when they take too long', async () => {
    const cwd = makeRepository();
    const pidFile = join(temporaryFolder(), 'pid');
    const hook = { command: `sleep 60 & echo $! > ${pidFile}; wait`, timeoutMs: 300 };
    await expect(
      run(runOptions('true', { cwd, hooks: { sandbox: { onSandboxReady: [hook] } } })),
    ).rejects.toMatchObject({ code: 'timeout', elapsedMs: 300 });
    const pid = readFileSync(pidFile, 'utf8').trim();
    await expect
      .poll(() => existsSync(`/proc/${pid}`) && !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
      .toBe(false);
  });

  it('keep what is uncommitted in a worktree that was there before when one fails', async () => {
    const cwd = makeRepository();
    const branchStrategy = { type: 'branch', branch: 'again' } as const;
    const first = await run(runOptions('echo precious > precious.txt', { cwd, branchStrategy }));
    expect(first.preservedWorktreePath).toBeDefined();
    const hooks = { host: { onWorktreeReady: [{ command: 'exit 1' }] } };
    await expect(run(runOptions('true', { cwd, branchStrategy, hooks }))).rejects.toMatchObject({
      code: 'hook',
    });
    expect(readFileSync(join(first.preservedWorktreePath ?? '', 'precious.txt'), 'utf8')).toBe('precious\n');
  });

  it('run once though the answer is retried', async () => {
    const log = join(temporaryFolder(), 'log');
    const script = `n=$(cat ${log}.n 2>/dev/null || echo 0); echo $((n+1)) > ${log}.n; if [ $n = 0 ]; then echo '<result>{"answer":"no"}</result>'; else echo '<result>{"answer":1}</result>'; fi`;
    const result = await run({
      ...runOptions(script),
      prompt: 'Answer in <result>.',
      output: { ...answerOutput, retry: 'fresh', maxCorrections: 1 },
      hooks: { sandbox: { onSandboxReady: [{ command: `echo hook >> ${log}` }] } },
    });
    expect(result.output).toEqual({ answer: 1 });
    expect(readFileSync(log, 'utf8')).toBe('hook\n');
  });

  it('that are no commands are refused before anything exists', () => {
    const wrong = { host: { onWorktreeReady: [{ command: '' }] } };
    return expect(run(runOptions(commitLine('x'), { hooks: wrong }))).rejects.toThrow(UsageError);
  });

  it.each(['onWorktreeReady', 'onSandboxReady'])(
    'of `host.%s` on a used branch are preceded by a warning that names what it changed',
    async (when) => {
      const cwd = makeRepository();
      const branchStrategy = { type: 'branch', branch: 'work' } as const;
      const agent = Array.from({ length: 7 }, (_, index) => commitLine(`f${index}`)).join(' && ');
      const hooks = { host: { [when]: [{ command: 'sh f0 || true' }] } };
      const first = await run(runOptions(agent, { cwd, branchStrategy, hooks }));
      const second = await run(runOptions('true', { cwd, branchStrategy, hooks }));
      const withoutHook = await run(runOptions('true', { cwd, branchStrategy }));
      expect(second.warnings).toEqual([
        'The hook `sh f0 || true` runs on this machine with files of the branch `work` that differ from `main`: `f0`, `f1`, `f2`, `f3`, `f4` and 2 more. Read `git diff --no-ext-diff --no-textconv main...work` before you trust them, or move the hook to `hooks.sandbox`.',
      ]);
      expect([first.warnings, withoutHook.warnings]).toEqual([[], []]);
    },
  );

  it('of the host are not warned about on a branch that only lacks commits', async () => {
    const cwd = makeRepository();
    git(cwd, 'branch', 'old');
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'next');
    const branchStrategy = { type: 'branch', branch: 'old' } as const;
    const hooks = { host: { onWorktreeReady: [{ command: 'true' }] } };
    expect((await run(runOptions('true', { cwd, branchStrategy, hooks }))).warnings).toEqual([]);
  });

  it('of the host are warned about on a branch that shares no commit with the checkout', async () => {
    const cwd = makeRepository();
    const root = git(cwd, 'commit-tree', '-m', 'other', 'HEAD^{tree}');
    git(cwd, 'branch', 'other', root);
    const branchStrategy = { type: 'branch', branch: 'other' } as const;
    const hooks = { host: { onWorktreeReady: [{ command: 'true' }] } };
    const { warnings } = await run(runOptions('true', { cwd, branchStrategy, hooks }));
    expect(warnings).toEqual([expect.stringContaining('they could not be compared')]);
  });
});
