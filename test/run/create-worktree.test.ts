/** Tests of worktrees over several runs and sandboxes, with real git and real processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { answerOutput, commitLine, git, makeRepository, PRINT_ANSWER } from './fixture.ts';

const shell = (script: string): AgentProvider => command({ command: ['sh', '-c', script] });
const ask = (
  script: string,
): { agent: AgentProvider; sandbox: ReturnType<typeof noSandbox>; prompt: string } => ({
  agent: shell(script),
  sandbox: noSandbox(),
  prompt: 'Answer in <result>.',
});
const merge = { type: 'merge-to-head' } as const;

describe('createWorktree()', () => {
  it('merges each successful run, and continues on the branch', async () => {
    const cwd = makeRepository();
    const worktree = await createWorktree({ branchStrategy: merge, cwd });
    const first = await worktree.run(ask(commitLine('one')));
    expect(git(cwd, 'show', '--stat', '--format=', 'HEAD')).toContain('one');
    writeFileSync(join(cwd, 'mine.txt'), 'mine\n');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'mine');
    const second = await worktree.run(ask(commitLine('two')));
    expect([first.commits.length, second.commits.length]).toEqual([1, 1]);
    expect([first.branch, second.branch]).toEqual(['main', 'main']);
    expect(git(cwd, 'ls-files')).toBe('a.txt\nmine.txt\none\ntwo');
    expect(git(cwd, 'branch', '--list', worktree.branch)).not.toBe('');
    expect(await worktree.close()).toEqual({});
    expect(git(cwd, 'branch', '--list', 'truecast/*')).toBe('');
    expect(existsSync(worktree.worktreePath)).toBe(false);
  });

  it('merges nothing of a run without a valid answer, and keeps its branch', async () => {
    const cwd = makeRepository();
    const worktree = await createWorktree({ branchStrategy: merge, cwd });
    await expect(
      worktree.run({ ...ask(`${commitLine('one')}; echo '<result>{}</result>'`), output: answerOutput }),
    ).rejects.toMatchObject({ code: 'schema-mismatch', branch: worktree.branch });
    expect(git(cwd, 'ls-files')).toBe('a.txt');
    await worktree.close();
    expect(git(cwd, 'ls-tree', '--name-only', worktree.branch)).toBe('a.txt\none');
  });

  it('merges where it came from only', async () => {
    const cwd = makeRepository();
    await using worktree = await createWorktree({ branchStrategy: merge, cwd });
    git(cwd, 'checkout', '-q', '-b', 'elsewhere');
    await expect(worktree.run(ask(commitLine('one')))).rejects.toMatchObject({ code: 'merge-conflict' });
    expect(git(cwd, 'ls-files')).toBe('a.txt');
  });

  it('returns typed answers on a named branch, and passes the branch to the template', async () => {
    const cwd = makeRepository();
    const promptFile = join(cwd, 'prompt.md');
    writeFileSync(promptFile, '{{SOURCE_BRANCH}} from {{TARGET_BRANCH}}, in <result>');
    await using worktree = await createWorktree({ branchStrategy: { type: 'branch', branch: 'work' }, cwd });
    const { prompt: _prompt, ...rest } = ask(`cat; ${PRINT_ANSWER}`);
    const result = await worktree.run({ ...rest, promptFile, output: answerOutput });
    expect(result.output.answer).toBe(42);
    expect(result.text).toContain('work from main');
  });

  it('lends itself to a sandbox, whose close leaves it', async () => {
    const cwd = makeRepository();
    await using worktree = await createWorktree({ branchStrategy: { type: 'branch', branch: 'work' }, cwd });
    const sandbox = await worktree.createSandbox({ sandbox: noSandbox() });
    const { commits } = await sandbox.run({ agent: shell(commitLine('one')), prompt: 'p' });
    expect(await sandbox.close()).toEqual({});
    const after = await worktree.run(ask('cat one'));
    expect(commits).toHaveLength(1);
    expect(after.text).toBe('work\n');
    expect(sandbox.worktreePath).toBe(worktree.worktreePath);
  });

  it('is kept when it holds uncommitted work', async () => {
    const cwd = makeRepository();
    const worktree = await createWorktree({ branchStrategy: merge, cwd });
    await worktree.run(ask('echo work > work.txt'));
    expect(await worktree.close()).toEqual({ preservedWorktreePath: worktree.worktreePath });
    expect(readFileSync(join(worktree.worktreePath, 'work.txt'), 'utf8')).toBe('work\n');
  });

  it('holds its branch against a run', async () => {
    const cwd = makeRepository();
    const branchStrategy = { type: 'branch', branch: 'work' } as const;
    await using _worktree = await createWorktree({ branchStrategy, cwd });
    await expect(createWorktree({ branchStrategy, cwd })).rejects.toThrow(RepositoryError);
  });

  it.each([{ type: 'head' }, undefined, { type: 'other' }])(
    'refuses the branch strategy %o',
    async (branchStrategy) => {
      const options: unknown = { branchStrategy, cwd: makeRepository() };
      await expect(createWorktree(options as Parameters<typeof createWorktree>[0])).rejects.toThrow(
        UsageError,
      );
    },
  );
});
