/** Without a `branchStrategy`, the work stays on a new branch. The ported entry works in the checkout. */
import { describe, expect, it } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import * as ported from '../../packages/truecast/src/exports/sandcastle.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { interactive } from '../../packages/truecast/src/run/interactive.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { localIsolatedSandbox } from '../../packages/testing/src/local-isolated-sandbox.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const NEW_BRANCH = /^truecast\/\d{8}-\d{6}-[0-9a-f]{6}$/u;

function branchesOf(cwd: string): string[] {
  return git(cwd, 'branch', '--format=%(refname:short)').split('\n');
}

/** Options without a destination of commits. */
function optionsFor(script: string, changes: Partial<RunOptions> = {}): RunOptions {
  const { branchStrategy: _branchStrategy, ...options } = runOptions(script, changes);
  return options;
}

function shell(script: string): AgentProvider {
  return { ...command({ command: 'true' }), buildInteractiveArgs: () => ['sh', '-c', script] };
}

describe('run()', () => {
  it.each([
    ['without a sandbox', noSandbox()],
    ['in an isolated sandbox', localIsolatedSandbox()],
  ])('commits to a new branch, and leaves the checkout as it was, %s', async (_title, sandbox) => {
    const cwd = makeRepository();
    const before = git(cwd, 'rev-parse', 'main');
    const { branch, commits } = await run(optionsFor(commitLine('b.txt'), { cwd, sandbox }));
    expect(branch).toMatch(NEW_BRANCH);
    expect(git(cwd, 'rev-parse', branch)).toBe(commits[0]?.sha);
    expect([git(cwd, 'rev-parse', 'main'), git(cwd, 'status', '--porcelain')]).toEqual([before, '']);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('leaves no branch without a commit', async () => {
    const cwd = makeRepository();
    await run(optionsFor('true', { cwd }));
    expect(branchesOf(cwd)).toEqual(['main']);
  });

  it('takes the name into the branch, and refuses one that is no text', async () => {
    const cwd = makeRepository();
    const { branch } = await run(optionsFor(commitLine('b.txt'), { cwd, name: 'Fix it' }));
    expect(branch).toMatch(/^truecast\/fix-it\//u);
    const wrong = optionsFor('true', { cwd, name: 5 as unknown as string });
    await expect(run(wrong)).rejects.toMatchObject({ name: 'UsageError', code: 'invalid-option' });
  });

  it('continues a session on the same branch', async () => {
    const script = 'date +%N >> all; git add all; git commit -qm line';
    const agent: AgentProvider = {
      ...command({ command: script, parse: () => [{ type: 'session', sessionId: 's1' }] }),
      buildPrintCommand: () => ({ command: `echo hi; ${script}` }),
      sessionStorage: {
        isKeptByAgent: true,
        captureToHost: () => Promise.resolve(undefined),
        resumeIntoSandbox: () => Promise.resolve(),
        readHostSession: () => Promise.resolve(undefined),
        existsOnHost: () => Promise.resolve(true),
        hostSessionFilePath: () => undefined,
        findByIdOnHost: () => Promise.resolve({ path: 'session', searchedRoot: '' }),
      },
    };
    const cwd = makeRepository();
    const first = await run(optionsFor('', { cwd, agent }));
    const next = await first.resume?.('again');
    expect([next?.branch, branchesOf(cwd)]).toEqual([first.branch, ['main', first.branch]]);
  });
});

it('interactive() commits to a new branch', async () => {
  const cwd = makeRepository();
  const { branch, commits } = await interactive({ agent: shell(commitLine('b.txt')), cwd });
  expect(branch).toMatch(NEW_BRANCH);
  expect(git(cwd, 'rev-parse', branch)).toBe(commits[0]?.sha);
  expect(git(cwd, 'log', '--format=%s', 'main')).not.toContain('b.txt');
});

describe('the ported entry', () => {
  it('commits to the checkout itself', async () => {
    const cwd = makeRepository();
    const { branch } = await ported.run(optionsFor(commitLine('b.txt'), { cwd }));
    expect([branch, branchesOf(cwd)]).toEqual(['main', ['main']]);
    const session = await ported.interactive({
      agent: shell(commitLine('c.txt')),
      sandbox: noSandbox(),
      cwd,
    });
    expect([session.branch, git(cwd, 'log', '-1', '--format=%s', 'main')]).toEqual(['main', 'add c.txt']);
  });

  it('merges the branch of an isolated sandbox', async () => {
    const cwd = makeRepository();
    const sandbox = localIsolatedSandbox();
    const { branch, commits } = await ported.run(optionsFor(commitLine('b.txt'), { cwd, sandbox }));
    expect([branch, git(cwd, 'rev-parse', 'main')]).toEqual(['main', commits[0]?.sha]);
  });

  it.each<unknown>([undefined, null, 5, 'text', {}])('refuses %j as options', async (options) => {
    const wrong = options as RunOptions;
    await expect(ported.run(wrong)).rejects.toMatchObject({ name: 'UsageError' });
    await expect(ported.interactive(wrong)).rejects.toMatchObject({ name: 'UsageError' });
  });
});
