/** `merge-to-head` with a check: no merge that fails it, and no check under the merge lock. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MERGE_LOCK_KEY, readLockHolder } from '../../packages/truecast/src/git/command/lock.ts';
import type { TreeCheck } from '../../packages/truecast/src/git/command/tree-check.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import {
  declareCheckedMerges,
  makeNumbers,
  numbersOn,
  setTwo,
  sumIsSmall,
} from '../declare-checked-merges.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { checkedOutput, checkedRepository, isGreen, WORK } from './checked-repository.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

describe('without a sandbox', () => declareCheckedMerges(noSandbox, 0));
describeInBubblewrap('in bubblewrap', () => declareCheckedMerges(() => bubblewrap({ egress: 'none' }), 1));

const merging = (check: TreeCheck) => ({ branchStrategy: { type: 'merge-to-head', check } }) as const;

it('no check runs under the merge lock, so others commit and merge meanwhile', async () => {
  const cwd = makeNumbers();
  const checked: string[] = [];
  const holders: unknown[] = [];
  const check: TreeCheck = async ({ exec }) => {
    holders.push(await readLockHolder({ commonDir: join(cwd, '.git'), key: MERGE_LOCK_KEY }));
    if (checked.length === 0) {
      await run(runOptions(commitLine('other.txt'), { cwd, branchStrategy: { type: 'merge-to-head' } }));
    }
    checked.push((await exec('git rev-parse HEAD; ls')).stdout);
    return undefined;
  };
  await run(runOptions(commitLine('readme.txt'), { cwd, ...merging(check) }));
  expect(holders).toEqual([undefined, undefined]);
  expect(checked.map((seen) => seen.includes('other.txt'))).toEqual([false, true]);
  expect(checked[1]?.split('\n')[0], 'the second check was of the commit that landed').toBe(
    git(cwd, 'rev-parse', 'main'),
  );
});

it('a review refuses before the check runs what the agent wrote', async () => {
  const cwd = makeRepository();
  let checks = 0;
  const check: TreeCheck = () => void (checks += 1);
  const script = `echo '[submodule "x"]' > .gitmodules; git add -A; git commit -q -m work`;
  await expect(run(runOptions(script, { cwd, ...merging(check) }))).rejects.toMatchObject({
    code: 'sensitive-changes',
  });
  expect(checks).toBe(0);
});

it('a run without commits has nothing to check', async () => {
  let checks = 0;
  const check: TreeCheck = () => void (checks += 1);
  expect(await run(runOptions('true', merging(check)))).toMatchObject({ commits: [] });
  expect(checks).toBe(0);
});

it('with a check of the answer, both checks pass on the commit that lands', async () => {
  const cwd = checkedRepository(temporaryFolder());
  const script = `${WORK.fixBoth}; ${WORK.commitAll}; ${WORK.answer}`;
  const output = checkedOutput();
  let reason: string | undefined = 'not yet';
  const options = runOptions(script, { cwd, ...merging(() => reason) });
  await expect(run({ ...options, output })).rejects.toMatchObject({ code: 'check-failed' });
  expect(isGreen(cwd, 'main')).toBe(false);
  reason = undefined;
  await run({ ...options, output });
  expect(isGreen(cwd, 'main')).toBe(true);
});

it('each run in a kept worktree is checked', async () => {
  const cwd = makeNumbers();
  await using worktree = await createWorktree({ cwd, ...merging(sumIsSmall) });
  const work = {
    agent: runOptions(setTwo('p')).agent,
    sandbox: noSandbox(),
    prompt: 'Work.',
    logging: { type: 'file' },
  } as const;
  await worktree.run(work);
  const second = worktree.run({ ...work, agent: runOptions(setTwo('q')).agent });
  await expect(second).rejects.toMatchObject({ code: 'check-failed', branch: worktree.branch });
  expect([numbersOn(cwd, 'main'), numbersOn(cwd, worktree.branch)]).toEqual(['20', '22']);
});

it('an abort ends a check, and nothing is merged', async () => {
  const cwd = makeNumbers();
  const abort = new AbortController();
  const check: TreeCheck = async ({ exec, signal }) => {
    abort.abort(new TypeError('enough'));
    expect(signal.aborted).toBe(true);
    await exec('sleep 60');
    return undefined;
  };
  const running = run(runOptions(setTwo('p'), { cwd, signal: abort.signal, ...merging(check) }));
  await expect(running).rejects.toThrow('enough');
  expect(numbersOn(cwd, 'main')).toBe('00');
});

it('histories without a common commit are named as the reason', async () => {
  const cwd = makeRepository();
  const script = 'git checkout -q --orphan fresh; git commit -q -m fresh; git branch -q -f "$OLD" fresh';
  const check: TreeCheck = () => undefined;
  await expect(
    run(runOptions(`OLD=$(git rev-parse --abbrev-ref HEAD); ${script}`, { cwd, ...merging(check) })),
  ).rejects.toMatchObject({ message: expect.stringContaining('no common history') as unknown });
});

describe('is refused before a branch exists:', () => {
  it.each([
    ['a check with `branch`', { type: 'branch', branch: 'x', check: sumIsSmall }, 'which merges nothing'],
    ['a check with `head`', { type: 'head', check: sumIsSmall }, 'which merges nothing'],
    ['a check that is no function', { type: 'merge-to-head', check: 'npm test' }, 'to be a function'],
  ])('%s', async (_title, branchStrategy, message) => {
    const cwd = makeRepository();
    await expect(run(runOptions('true', { cwd, branchStrategy: branchStrategy as never }))).rejects.toThrow(
      message,
    );
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  });

  it('a check with `publish`', async () => {
    const running = run(runOptions('true', { publish: 'pull-request', ...merging(sumIsSmall) }));
    await expect(running).rejects.toThrow('nothing is merged');
  });

  it('a verdict of another type refuses the merge', async () => {
    const cwd = makeNumbers();
    const check = (() => false) as never;
    await expect(run(runOptions(setTwo('p'), { cwd, ...merging(check) }))).rejects.toThrow('got `false`');
    expect(numbersOn(cwd, 'main')).toBe('00');
  });
});

describe('a merge commit is signed, and skipped hooks are named, on the route', () => {
  // The agent's own commits run hooks.
  const noHooks = 'export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null';
  const work = (cwd: string): string =>
    `${noHooks}; ${commitLine('b.txt')}; git -C '${cwd}' commit -q --allow-empty --no-gpg-sign -m meanwhile`;
  const check: TreeCheck = () => undefined;
  const sandbox = noSandbox();
  const routes: Readonly<Record<string, (cwd: string, warn: (message: string) => void) => Promise<unknown>>> =
    {
      async run(cwd, warn) {
        const { warnings } = await run(runOptions(work(cwd), { cwd, ...merging(check) }));
        warnings.forEach(warn);
      },
      async merge(cwd, onWarning) {
        await run(runOptions(work(cwd), { cwd, branchStrategy: { type: 'branch', branch: 'work' } }));
        await merge('work', { cwd, sandbox, check, onWarning });
      },
      async 'sandbox.close()'(cwd, onWarning) {
        const kept = await createSandbox({ cwd, branch: 'work', sandbox, onWarning });
        const { agent } = runOptions(work(cwd), { cwd });
        await kept.run({ agent, prompt: 'Work.', logging: { type: 'file' } });
        await kept.close({ merge: { check } });
      },
      async runBatch(cwd, warn) {
        const { agent } = runOptions(work(cwd), { cwd });
        const inputs = [{ N: 1 }];
        for await (const result of runBatch({
          cwd,
          agent,
          sandbox,
          inputs,
          prompt: '{{N}}',
          ...merging(check),
        })) {
          if (result.status === 'ok') result.warnings?.forEach(warn);
        }
      },
    };

  it.each(Object.keys(routes))('%s', async (route) => {
    const cwd = makeRepository();
    git(cwd, 'config', 'commit.gpgsign', 'true');
    git(cwd, 'config', 'gpg.program', join(import.meta.dirname, 'signing-program.sh'));
    for (const name of ['commit-msg', 'post-merge', 'pre-push']) {
      writeFileSync(join(cwd, '.git', 'hooks', name), `#!/bin/sh\necho ${name} >> ran\n`, { mode: 0o755 });
    }
    const warnings: string[] = [];
    await routes[route]?.(cwd, (message) => void warnings.push(message));
    expect(git(cwd, 'cat-file', 'commit', 'main')).toMatch(
      /^parent .*\nparent .*\n[^]*gpgsig -----BEGIN PGP/mu,
    );
    expect(warnings.filter((message) => message.startsWith('hooks: '))).toEqual([
      expect.stringMatching(
        /runs none of your git hooks, and `.*hooks` contains `commit-msg`, `post-merge`\./u,
      ),
    ]);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });
});
