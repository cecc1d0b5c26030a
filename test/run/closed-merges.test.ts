/** `sandbox.close({ merge })`: the branch of a kept sandbox lands when it is closed. */
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import type {
  Sandbox,
  SandboxCloseOptions,
} from '../../packages/truecast/src/run/options/sandbox-options.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { makeNumbers, numbersOn, setTwo, sumIsSmall } from '../declare-checked-merges.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions } from './fixture.ts';

const work = async (sandbox: Sandbox, script: string): Promise<void> => {
  const { agent, prompt = '', logging } = runOptions(script, { cwd: '' });
  await sandbox.run({ agent, prompt, ...(logging !== undefined && { logging }) });
};

function declareClosing(provider: () => SandboxProvider): void {
  it('lands the work of all its runs in one merge that passes the check', async () => {
    const cwd = makeNumbers();
    const sandbox = await createSandbox({ cwd, branch: 'work', sandbox: provider() });
    await work(sandbox, setTwo('p'));
    await work(sandbox, 'echo 0 > n.txt; git add -A; git commit -q -m n');
    const closed = await sandbox.close({ merge: { check: sumIsSmall, deleteBranch: true } });
    expect(closed).toMatchObject({
      merge: { branch: 'work', into: 'main', isMerged: true, check: { verdict: 'passed' } },
    });
    expect(closed.merge?.commits).toHaveLength(2);
    expect(closed.merge?.sha).toBe(git(cwd, 'rev-parse', 'main'));
    expect([numbersOn(cwd, 'main'), git(cwd, 'status', '--porcelain')]).toEqual(['20', '']);
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  });
}

describe('without a sandbox', () => declareClosing(noSandbox));
describeInBubblewrap('in bubblewrap', () => declareClosing(() => bubblewrap({ egress: 'none' })));

it('keeps the branch that fails the check, and `await using` does not fail a second time', async () => {
  const cwd = makeNumbers();
  const use = async (): Promise<void> => {
    await using sandbox = await createSandbox({ cwd, branch: 'work', sandbox: noSandbox() });
    await work(sandbox, `${setTwo('p')}; ${setTwo('q')}`);
    await sandbox.close({ merge: { check: sumIsSmall } });
  };
  await expect(use()).rejects.toMatchObject({ code: 'check-failed', branch: 'work' });
  expect([numbersOn(cwd, 'main'), numbersOn(cwd, 'work')]).toEqual(['00', '22']);
});

it('merges without a check, and after it was closed', async () => {
  const cwd = makeNumbers();
  const sandbox = await createSandbox({ cwd, branch: 'work', sandbox: noSandbox() });
  await work(sandbox, setTwo('p'));
  expect(await sandbox.close()).toEqual({});
  expect(numbersOn(cwd, 'main')).toBe('00');
  expect(await sandbox.close({ merge: true })).toMatchObject({ merge: { isMerged: true } });
  expect(numbersOn(cwd, 'main')).toBe('20');
});

it('does not merge a declared secret', async () => {
  const cwd = makeRepository();
  const secret = 'correct-horse-battery-staple-9';
  const sandbox = await createSandbox({
    cwd,
    branch: 'work',
    sandbox: noSandbox(),
    env: { DEPLOY_TOKEN: secret },
  });
  await work(sandbox, 'echo "$DEPLOY_TOKEN" > settings.txt; git add -A; git commit -q -m settings');
  await expect(sandbox.close({ merge: true })).rejects.toMatchObject({ code: 'secret-in-commits' });
  expect(git(cwd, 'log', '-p', 'main')).not.toContain(secret);
  const allowed = { merge: { policies: { secretsInCommits: 'allow' } } } as const;
  expect(await sandbox.close(allowed)).toMatchObject({ merge: { isMerged: true } });
  expect(git(cwd, 'log', '-p', 'main')).toContain(secret);
});

it('has the policy of the sandbox for sensitive changes, unless it has its own', async () => {
  const cwd = makeRepository();
  const sandbox = await createSandbox({ cwd, branch: 'work', sandbox: noSandbox() });
  await work(sandbox, 'echo "[submodule]" > .gitmodules; git add -A; git commit -q -m modules');
  await expect(sandbox.close({ merge: true })).rejects.toMatchObject({ code: 'sensitive-changes' });
  const closed = await sandbox.close({ merge: { policies: { sensitiveChanges: 'warn' } } });
  expect(closed.merge?.sensitiveChanges).toMatchObject([{ path: '.gitmodules' }]);
});

it('is refused, and closes nothing, for options that it does not know', async () => {
  const cwd = makeNumbers();
  await using sandbox = await createSandbox({ cwd, branch: 'work', sandbox: noSandbox() });
  for (const [wrong, message] of [
    [{ merges: true }, '`merges`'],
    [{ merge: { sandbox: noSandbox() } }, '`sandbox`'],
    [{ merge: { strategy: 'rebase' } }, 'one of merge, squash, ff-only'],
    [{ merge: { check: 'npm test' } }, 'to be a function'],
    [{ merge: { policies: { secretsInCommit: 'warn' } } }, 'Did you mean `secretsInCommits`'],
    [{ merge: { policies: { secretsInCommits: 'no' } } }, '`policies.secretsInCommits`'],
  ] as const) {
    await expect(sandbox.close(wrong as unknown as SandboxCloseOptions)).rejects.toThrow(message);
  }
  expect((await sandbox.exec('cat p')).stdout).toBe('0\n');
});

it('is refused for a sandbox in a worktree that outlives it', async () => {
  const cwd = makeNumbers();
  await using worktree = await createWorktree({ cwd, branchStrategy: { type: 'branch', branch: 'work' } });
  await using sandbox = await worktree.createSandbox({ sandbox: noSandbox() });
  await expect(sandbox.close({ merge: true })).rejects.toThrow('still works on the branch');
});
