import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CwdError } from '@truecast/core/internal/errors/usage-error';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { answerOutput, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const refusal = async (options: unknown): Promise<Error> => {
  // Deliberately untyped, as an untyped caller might pass it.
  const reason: unknown = await run(options as RunOptions).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(reason instanceof Error)) throw new Error('The run was not refused.');
  return reason;
};

/** A schema of so many objects in each other. */
function nested(depth: number): z.ZodType {
  return depth === 0 ? z.string() : z.object({ a: nested(depth - 1) });
}

describe('a run is refused before anything is created', () => {
  const cases: readonly [string, Partial<Record<keyof RunOptions, unknown>>, RegExp][] = [
    ['without an agent', { agent: undefined }, /`agent`/u],
    ['without a sandbox', { sandbox: {} }, /`sandbox`/u],
    ['with an output that `Output` did not make', { output: { tag: 'result' } }, /`Output`/u],
    [
      'with no iterations',
      { maxIterations: 0 },
      /`maxIterations` to be an integer of 1 or more, got `0` \(number\)/u,
    ],
    ['with no number of iterations', { maxIterations: null }, /`maxIterations`.*got `null`/u],
    ['with half an iteration', { maxIterations: 1.5 }, /`maxIterations`.*got `1.5`/u],
    [
      'with iterations beside an output',
      { maxIterations: 2, output: answerOutput },
      /`maxIterations` to be 1 with an `output`/u,
    ],
    [
      'with negative retries',
      { output: { ...answerOutput, maxCorrections: -1 } },
      /`maxCorrections` to be a non-negative integer, got `-1` \(number\)/u,
    ],
    [
      'with retries and an agent without sessions',
      { output: { ...answerOutput, maxCorrections: 1 } },
      /`maxCorrections` needs an agent that can resume.*`command`/u,
    ],
    [
      'without the opening tag in the prompt',
      { prompt: 'Answer.', output: answerOutput },
      /does not contain `<result>`/u,
    ],
    ['without a tag and without a native mode', { output: Output.json({}) }, /no schema mode/u],
    ['without a prompt', { prompt: undefined }, /exactly one of `prompt` and `promptFile`, got neither/u],
    ['with two prompts', { promptFile: 'a.md', prompt: 'a' }, /got both/u],
    [
      'with arguments for an inline prompt',
      { promptArgs: { A: 1 } },
      /`promptArgs` cannot be used with an inline `prompt`/u,
    ],
    [
      'with a prompt file that is not there',
      { prompt: undefined, promptFile: '/nowhere/p.md' },
      /\/nowhere\/p\.md/u,
    ],
    [
      'with a variable that both agent and sandbox set',
      { agent: command({ command: 'true', env: { A: '1' } }), sandbox: noSandbox({ env: { A: '2' } }) },
      /both set `A`/u,
    ],
    ['with an unknown branch strategy', { branchStrategy: { type: 'trunk' } }, /`branchStrategy.type`/u],
    [
      'with files to copy into the checkout itself',
      { copyToWorktree: ['.env'], branchStrategy: { type: 'head' } },
      /`copyToWorktree`/u,
    ],
    [
      'with a file to copy from outside of the repository',
      { copyToWorktree: ['../secret'] },
      /`copyToWorktree` to contain paths inside/u,
    ],
    ['with an empty completion signal', { completionSignal: '' }, /`completionSignal`/u],
    ['with a timeout of nothing', { timeouts: { idleMs: 0 } }, /`timeouts.idleMs`/u],
    ['with a timeout that no timer keeps', { timeouts: { runMs: Infinity } }, /`timeouts.runMs` .*24 days/u],
    ['with a step of more than 24 days', { timeouts: { checkMs: 2 ** 31 } }, /`timeouts.checkMs` .*24 days/u],
    ['with a step of nothing', { timeouts: { gitSetupMs: 0 } }, /`timeouts.gitSetupMs`/u],
    [
      'with a budget in money and an agent that tells no cost',
      { budget: { usd: 1 } },
      /`budget.usd` needs cost data/u,
    ],
    [
      'with a session and an agent without any',
      { session: { resume: 'x' } },
      /does not support `session.resume`/u,
    ],
    ['with a fork of nothing', { session: { fork: true } }, /`session.fork` needs `session.resume`/u],
    ['with a session and iterations', { session: { resume: 'x' }, maxIterations: 2 }, /cannot be combined/u],
    [
      'with a session that nobody knows',
      { agent: claudeCode(), session: { resume: '00000000-0000-4000-8000-000000000000' } },
      /claude|session/u,
    ],
    [
      'with a program that is not installed',
      { agent: command({ command: ['no-such-program-here'] }) },
      /`no-such-program-here`.*not on the PATH/u,
    ],
    [
      'with a native output whose schema the agent refuses',
      { agent: codex(), prompt: 'x', output: Output.object({ schema: z.object({ a: nested(12) }) }) },
      /nested objects, at `\/properties\/a.*set `tag`/u,
    ],
    [
      'with an output that no JSON fits',
      { output: Output.object({ tag: 'r', schema: z.object({ when: z.date() }) }) },
      /`\/properties\/when`: JSON has no `date`\. Request a string/u,
    ],
  ];

  it.each(cases)('%s', async (_title, changes, message) => {
    const cwd = makeRepository();
    const error = await refusal({
      ...runOptions('true', { cwd }),
      branchStrategy: { type: 'branch', branch: 'topic' },
      ...changes,
    });
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
    expect(git(cwd, 'branch', '--list', 'topic')).toBe('');
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
  });

  it('in a folder that does not exist, and in a file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(await refusal(runOptions('true', { cwd: join(folder, 'gone') }))).toBeInstanceOf(CwdError);
    expect(await refusal(runOptions('true', { cwd: join(folder, 'file') }))).toBeInstanceOf(CwdError);
  });

  it('in a folder that is no repository, a bare one, and one without a commit', async () => {
    const folder = temporaryFolder();
    const codeIn = async (cwd: string): Promise<unknown> => {
      const error = await refusal(runOptions('true', { cwd }));
      return RepositoryError.isInstance(error) && error.code;
    };
    expect(await codeIn(folder)).toBe('not-a-repository');
    git(folder, 'init', '-q', '--bare', 'bare');
    expect(await codeIn(join(folder, 'bare'))).toBe('bare');
    git(folder, 'init', '-q', 'empty');
    expect(await codeIn(join(folder, 'empty'))).toBe('no-commit');
  });

  it('on a branch that is checked out elsewhere, or that git would refuse', async () => {
    const cwd = makeRepository();
    const codeOn = async (branch: string): Promise<unknown> => {
      const error = await refusal(runOptions('true', { cwd, branchStrategy: { type: 'branch', branch } }));
      return RepositoryError.isInstance(error) && error.code;
    };
    expect(await codeOn('main')).toBe('branch-in-use');
    expect(await codeOn('a..b')).toBe('invalid-branch');
  });

  it('when its signal was aborted before, with its reason', async () => {
    const reason = { mine: true };
    await expect(run(runOptions('true', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });
});

describe('a run works', () => {
  it.each(['a path with spaces', `it's "quoted"`, 'ünï-cödé', '-dash'])(
    'in a repository named %j',
    async (name) => {
      const cwd = makeRepository(name);
      const result = await run({
        ...runOptions('git commit -q --allow-empty -m x && echo "<result>{\\"answer\\":1}</result>"', {
          cwd,
          branchStrategy: { type: 'merge-to-head' },
        }),
        output: answerOutput,
      });
      expect(result.commits).toHaveLength(1);
      expect(git(cwd, 'rev-parse', 'HEAD')).toBe(result.commits[0]?.sha);
    },
  );

  it('in a subdirectory, and in a linked worktree', async () => {
    const repo = makeRepository();
    mkdirSync(join(repo, 'sub'));
    git(repo, 'worktree', 'add', '-q', '-b', 'linked', join(repo, '..', 'linked'));
    // Two empty commits of the same second and message would be the same commit.
    for (const cwd of [join(repo, 'sub'), join(repo, '..', 'linked')]) {
      const result = await run(
        runOptions('git commit -q --allow-empty -m "$PWD"', {
          cwd,
          branchStrategy: { type: 'merge-to-head' },
        }),
      );
      expect(result.commits).toHaveLength(1);
      expect(git(cwd, 'rev-parse', 'HEAD')).toBe(result.commits[0]?.sha);
    }
  });

  it('in a dirty repository, whose dirt it leaves alone', async () => {
    const cwd = makeRepository();
    writeFileSync(join(cwd, 'a.txt'), 'changed\n');
    writeFileSync(join(cwd, 'new.txt'), 'new\n');
    await run(
      runOptions('echo b > b.txt && git add b.txt && git commit -q -m b', {
        cwd,
        branchStrategy: { type: 'merge-to-head' },
      }),
    );
    expect(git(cwd, 'status', '--porcelain')).toBe('M a.txt\n?? new.txt');
    rmSync(join(cwd, 'new.txt'));
  });

  it('on a detached HEAD', async () => {
    const cwd = makeRepository();
    git(cwd, 'checkout', '-q', '--detach');
    const result = await run(runOptions('git commit -q --allow-empty -m x', { cwd }));
    expect(result.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'HEAD') }]);
    expect(result.branch).toBe('HEAD');
  });
});
