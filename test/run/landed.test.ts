/** Tests of checked runs: a check holds for exactly the commit that lands. */
import { describe, expect, it } from 'vitest';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EvidenceError } from '../../packages/core/src/errors/base/run-evidence.ts';
import type { AnyOutputDefinition } from '../../packages/core/src/output/definition/definition.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions, RunResultWithOutput } from '../../packages/truecast/src/run/options/run-options.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bubblewrapIsMissing } from '../describe-in-bubblewrap.ts';
import { matrixColumns, matrixRow } from '../matrix.ts';
import { describeUnless } from '../needs.ts';
import { checkedOutput, checkedRepository, isGreen, WORK } from './checked-repository.ts';
import { git, runOptions, temporaryFolder } from './fixture.ts';

const SANDBOXES: readonly (readonly [string, () => SandboxProvider])[] = [
  ['noSandbox', () => noSandbox()],
  ['bubblewrap', () => bubblewrap({ egress: 'none' })],
];

interface Checked {
  readonly cwd: string;
  readonly before: string;
  readonly error: unknown;
  readonly result: RunResultWithOutput<unknown> | undefined;
}

async function runChecked(
  script: string,
  options: Partial<RunOptions> & { readonly sandbox: SandboxProvider },
): Promise<Checked> {
  const cwd = options.cwd ?? checkedRepository(temporaryFolder());
  const before = git(cwd, 'rev-parse', 'HEAD');
  const agent = command({ command: ['sh', '-c', script] });
  const ended = await run({
    ...runOptions('', { cwd, agent }),
    branchStrategy: { type: 'merge-to-head' },
    output: checkedOutput(),
    ...options,
  }).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  return { cwd, before, ...ended };
}

function evidenceOf(error: unknown): EvidenceError {
  if (!EvidenceError.isInstance(error)) throw error ?? new Error('The run did not fail.');
  return error;
}

/** Notes the folders of its calls, and runs `during` in the first one that is not the agent's worktree. */
function watchedOutput(
  during: (first: string, clean: string) => Promise<void> | void,
  options: Parameters<typeof checkedOutput>[0] = {},
): { readonly output: AnyOutputDefinition; readonly folders: string[] } {
  const folders: string[] = [];
  const output = checkedOutput(options, async (folder) => {
    folders.push(folder);
    if (folders.length === 2) await during(folders[0] ?? '', folder);
  });
  return { output, folders };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20);
}

/**
 * Commits once the check has begun on the clean checkout, and says so. It has left the group of its
 * agent and the marker in its environment, so a run without a sandbox does not find it.
 */
const DAEMON = `env -i PATH="$PATH" HOME="$HOME" setsid sh -c 'while [ ! -e go.ignored ]; do sleep 0.05; done; echo broken > a.txt; git commit -q -am late; touch done.ignored' >/dev/null 2>&1 &`;
const ALL_FIXED = `${WORK.fixBoth}; ${WORK.commitAll}; ${WORK.answer}`;

async function letDaemonCommit(worktree: string): Promise<void> {
  writeFileSync(join(worktree, 'go.ignored'), '');
  await until(() => existsSync(join(worktree, 'done.ignored')));
}

/** A sandbox ends the programs of a turn. Its branch can still be moved by a program of the host. */
const LATE: Readonly<
  Record<string, { readonly script: string; commit(worktree: string): Promise<void> | void }>
> = {
  noSandbox: { script: `${DAEMON} `, commit: letDaemonCommit },
  bubblewrap: {
    script: '',
    commit: (worktree) => void git(worktree, 'commit', '-q', '--allow-empty', '-m', 'late'),
  },
};

const RED: readonly (readonly [string, string])[] = [
  ['leaves the whole fix uncommitted', `${WORK.fixBoth}; ${WORK.answer}`],
  ['commits half of the fix', `${WORK.fixBoth}; ${WORK.commitHalf}; ${WORK.answer}`],
  ['stubs the test under assume-unchanged', `${WORK.stubTest}; ${WORK.commitHalf}; ${WORK.answer}`],
  [
    'stubs the test without a commit',
    `${WORK.stubTest.replace(/^[^;]*; /u, '')}; ${WORK.commitHalf}; ${WORK.answer}`,
  ],
  [
    'commits the fix on a detached HEAD',
    `git checkout -q --detach; ${WORK.fixBoth}; ${WORK.commitAll}; ${WORK.answer}`,
  ],
  ['leaves an ignored helper file', `${WORK.ignoredHelper}; ${WORK.commitHalf}; ${WORK.answer}`],
];

for (const [row, [name, sandbox]] of SANDBOXES.entries()) {
  // The short form tries each case in one of the two.
  const inTurns = matrixRow(row, { rows: SANDBOXES.length });
  describeUnless(name === 'bubblewrap' ? bubblewrapIsMissing : undefined, `a checked run in ${name}`, () => {
    it.each(matrixColumns(row, RED, { rows: SANDBOXES.length }))(
      'lands nothing when its agent %s',
      async (_what, script) => {
        const { cwd, before, error } = await runChecked(script, { sandbox: sandbox() });
        const { code, message, preservedWorktreePath = '', branch = '' } = evidenceOf(error);
        expect(code).toBe('check-failed');
        expect(message).toContain('the tests fail');
        expect(git(cwd, 'rev-parse', 'main')).toBe(before);
        expect(existsSync(preservedWorktreePath)).toBe(true);
        expect(git(cwd, 'branch', '--list', branch)).not.toBe('');
      },
    );

    const late = LATE[name] ?? { script: '', commit: () => undefined };

    inTurns('lands exactly the checked commit when a program of its agent commits later', async () => {
      const { output } = watchedOutput(late.commit);
      const { cwd, result, error } = await runChecked(late.script + ALL_FIXED, {
        sandbox: sandbox(),
        output,
      });
      expect(error).toBeUndefined();
      expect(git(cwd, 'rev-parse', 'main')).toBe(result?.provenance.check?.commit);
      expect(isGreen(cwd, 'main')).toBe(true);
      expect(result?.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'main') }]);
      expect(result?.warnings.join()).toContain('moved after its check');
      expect(git(cwd, 'for-each-ref', '--format=%(subject)', 'refs/heads/truecast')).toBe('late');
    });

    inTurns('returns no branch that moved after its check', async () => {
      const { output } = watchedOutput(late.commit);
      const branchStrategy = { type: 'branch', branch: 'topic' } as const;
      const { cwd, error } = await runChecked(late.script + ALL_FIXED, {
        sandbox: sandbox(),
        output,
        branchStrategy,
      });
      expect(evidenceOf(error)).toMatchObject({ code: 'check-failed', branch: 'topic' });
      expect(evidenceOf(error).commits).toHaveLength(2);
      expect(git(cwd, 'log', '-1', '--format=%s', 'topic')).toBe('late');
    });

    inTurns('asks its agent again, names what is not committed, and lands the second try', async () => {
      const script = `if [ -e tried.ignored ]; then cat > said.ignored; ${WORK.commitAll}; else touch tried.ignored; ${WORK.fixBoth}; ${WORK.commitHalf}; fi; ${WORK.answer}`;
      const output = checkedOutput({ maxCorrections: 1, retry: 'fresh' });
      const { cwd, result } = await runChecked(script, { sandbox: sandbox(), output });
      expect(isGreen(cwd, 'main')).toBe(true);
      expect(result?.provenance.attempts).toMatchObject([
        { code: 'check-failed', message: expect.stringContaining('Not committed: `b.txt`') as unknown },
        { code: 'ok' },
      ]);
    });

    inTurns('verifies the branch that it returns', async () => {
      const branchStrategy = { type: 'branch', branch: 'topic' } as const;
      const red = await runChecked(`${WORK.fixBoth}; ${WORK.commitHalf}; ${WORK.answer}`, {
        sandbox: sandbox(),
        branchStrategy,
      });
      expect(evidenceOf(red.error)).toMatchObject({ code: 'check-failed', branch: 'topic' });
      const green = await runChecked(ALL_FIXED, { sandbox: sandbox(), branchStrategy });
      expect(green.result?.provenance.check?.commit).toBe(git(green.cwd, 'rev-parse', 'topic'));
    });

    inTurns('lands the commit that passed, and records it', async () => {
      const { cwd, error, result } = await runChecked(`${WORK.fixBoth}; ${WORK.commitAll}; ${WORK.answer}`, {
        sandbox: sandbox(),
      });
      expect(error).toBeUndefined();
      expect(isGreen(cwd, 'main')).toBe(true);
      expect(result?.provenance.check).toMatchObject({
        verdict: 'passed',
        commit: git(cwd, 'rev-parse', 'main'),
        tree: git(cwd, 'rev-parse', 'main^{tree}'),
      });
    });
  });
}

/** A commit of the user on main while the merge is checked. */
function commitOnMain(cwd: string, file: string, text: string): void {
  writeFileSync(join(cwd, file), text);
  git(cwd, 'add', file);
  git(cwd, 'commit', '-q', '-m', `user ${file}`);
}

describe('a target that moves during the check', () => {
  it('gets a merge that was checked too', async () => {
    const cwd = checkedRepository(temporaryFolder());
    const { output, folders } = watchedOutput(() => commitOnMain(cwd, 'user.txt', 'mine\n'));
    const { result } = await runChecked(ALL_FIXED, { cwd, sandbox: noSandbox(), output });
    expect(folders).toHaveLength(3);
    expect(isGreen(cwd, 'main')).toBe(true);
    expect(git(cwd, 'log', '-1', '--format=%P', 'main').split(' ')).toEqual([
      git(cwd, 'log', '-1', '--format=%H', '--', 'user.txt'),
      result?.provenance.check?.commit,
    ]);
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  });

  it('gets nothing when the merge fails the check', async () => {
    const cwd = checkedRepository(temporaryFolder());
    const { output } = watchedOutput(() => commitOnMain(cwd, 'test.sh', '#!/bin/sh\ngrep -q fixed c.txt\n'));
    const { error } = await runChecked(ALL_FIXED, { cwd, sandbox: noSandbox(), output });
    const { code, message, branch, commits, preservedWorktreePath = '' } = evidenceOf(error);
    expect([code, commits.length, existsSync(preservedWorktreePath)]).toEqual(['check-failed', 1, true]);
    expect(message).toContain('not on its merge with `main`');
    expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('user test.sh');
    expect(git(cwd, 'rev-parse', branch ?? '')).toBe(commits[0]?.sha);
  });

  it('gets nothing when it moves at each of five checks', async () => {
    const cwd = checkedRepository(temporaryFolder());
    let moves = 0;
    const output = checkedOutput({}, () => commitOnMain(cwd, `user-${(moves += 1)}.txt`, 'mine\n'));
    const { error } = await runChecked(ALL_FIXED, { cwd, sandbox: noSandbox(), output });
    expect(evidenceOf(error).message).toContain('moved 5 times');
    // In the worktree, on the commit, and on five merges.
    expect(moves).toBe(7);
    expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('user user-7.txt');
  });
});
