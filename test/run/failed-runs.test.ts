/** What failed runs leave: nothing if there is nothing in it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import { answerOutput, git, makeRepository, PRINT_ANSWER, runOptions } from './fixture.ts';

const MERGE = { branchStrategy: { type: 'merge-to-head' } } as const;
const TOPIC = { branchStrategy: { type: 'branch', branch: 'topic' } } as const;

interface Left {
  readonly error: AgentError;
  readonly worktrees: number;
  readonly branches: readonly string[];
}

async function fail(script: string, changes: Partial<RunOptions>, cwd = makeRepository()): Promise<Left> {
  const error = (await run(runOptions(script, { cwd, ...changes })).then(
    () => undefined,
    (reason: unknown) => reason,
  )) as AgentError;
  const branches = git(cwd, 'branch', '--format=%(refname:short)').split('\n');
  return { error, branches, worktrees: git(cwd, 'worktree', 'list').split('\n').length };
}

describe('a failed run without commits and with a clean worktree', () => {
  it.each([
    ['merge-to-head', MERGE, 'exit 1'],
    ['a new branch', TOPIC, 'exit 1'],
    ['a hung agent', { ...MERGE, timeouts: { idleMs: 200 } }, 'sleep 300'],
  ] as const)('leaves no worktree and no branch with %s', async (_name, changes, script) => {
    const { error, branches, worktrees } = await fail(script, changes);
    expect({ branches, worktrees }).toEqual({ branches: ['main'], worktrees: 1 });
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('preservedWorktreePath');
    expect(error).not.toHaveProperty('branch');
    expect(error.logFilePath).toMatch(/\.log$/u);
  });

  it('keeps a branch that existed before', async () => {
    const cwd = makeRepository();
    git(cwd, 'branch', 'topic');
    const { error, branches, worktrees } = await fail('exit 1', TOPIC, cwd);
    expect({ branches, worktrees }).toEqual({ branches: ['main', 'topic'], worktrees: 1 });
    expect(error).toMatchObject({ branch: 'topic' });
  });

  it('keeps the worktree of an earlier run', async () => {
    const cwd = makeRepository();
    const first = await fail('echo left > left; exit 1', TOPIC, cwd);
    git(first.error.preservedWorktreePath ?? '', 'clean', '-qf');
    const { worktrees } = await fail('exit 1', TOPIC, cwd);
    expect(worktrees).toBe(2);
  });
});

describe('a failed run keeps its worktree', () => {
  it('with uncommitted work', async () => {
    const { error, worktrees } = await fail('echo left > left; exit 1', MERGE);
    expect(worktrees).toBe(2);
    expect(git(error.preservedWorktreePath ?? '', 'status', '--short')).toBe('?? left');
  });

  it('with a commit on a detached HEAD', async () => {
    const script = 'git checkout -q --detach; git commit -q --allow-empty -m one; exit 1';
    const { error, worktrees } = await fail(script, MERGE);
    expect(worktrees).toBe(2);
    expect(error).toMatchObject({ commits: [], recovered: [{ from: 'HEAD' }] });
  });

  it('after an invalid answer, clean or not', async () => {
    const { error, worktrees } = await fail('echo none', { ...MERGE, output: answerOutput });
    expect(error).toMatchObject({ name: 'StructuredOutputError' });
    expect(worktrees).toBe(2);
  });

  it('after an abort by its caller', async () => {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal]);
    const cwd = makeRepository();
    const running = run(runOptions('echo ready; sleep 300', { cwd, ...MERGE, signal }));
    const failure = running.catch((reason: unknown) => reason);
    for await (const event of running) if (event.type === 'text') break;
    controller.abort('enough');
    expect(await failure).toBe('enough');
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(2);
  });

  it('does not touch the checkout of `head`', async () => {
    const cwd = makeRepository();
    writeFileSync(join(cwd, 'mine'), 'x');
    const { branches } = await fail(`${PRINT_ANSWER}; exit 1`, { branchStrategy: { type: 'head' } }, cwd);
    expect(branches).toEqual(['main']);
    expect(git(cwd, 'status', '--short')).toBe('?? mine');
  });
});

describe('a sandbox that does not start', () => {
  it('is told in the log, in the words of its provider', async () => {
    const path = join(makeRepository(), '..', 'given.log');
    const sandbox = { ...noSandbox(), create: () => Promise.reject(new Error('no "image" there')) };
    const { error, worktrees } = await fail('true', { ...MERGE, sandbox, logging: { type: 'file', path } });
    expect(error).toMatchObject({ name: 'SandboxError', code: 'start', logFilePath: path });
    expect(error.message).toContain('could not be started: no "image" there. Run `truecast doctor`.');
    expect(readFileSync(path, 'utf8')).toContain('Run failed: The sandbox');
    expect(worktrees).toBe(1);
  });
});

describe('a callback that throws', () => {
  it('does not end the run, and is one warning', async () => {
    let calls = 0;
    const agent = scriptedAgent({ steps: [step.print('<result>{"answer":'), step.print('42}</result>')] });
    const options = runOptions('', { agent });
    const result = await run({
      ...options,
      output: answerOutput,
      onPartial() {
        calls += 1;
        throw new Error('my bug');
      },
    });
    expect(result.output.answer).toBe(42);
    expect(calls).toBeGreaterThan(0);
    expect(result.warnings).toEqual([expect.stringContaining('`onPartial` threw')]);
  });
});
