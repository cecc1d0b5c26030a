/** Warnings about a sandbox whose git can do less than the caller's: no signing keys, no remote to fetch from. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { localIsolatedSandbox } from '../../packages/testing/src/local-isolated-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const merged = { branchStrategy: { type: 'merge-to-head' } } as const;

async function warningsOf(
  script: string,
  { cwd, sandbox }: { readonly cwd: string; readonly sandbox: SandboxProvider },
): Promise<readonly string[]> {
  return (await run(runOptions(script, { cwd, sandbox, ...merged }))).warnings;
}

/** A repository with a second commit, whose clones lack the old text of its file. */
function partialClone(): string {
  const origin = makeRepository('origin');
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  git(origin, 'rm', '-q', 'a.txt');
  git(origin, 'commit', '-q', '-m', 'remove');
  const clone = join(temporaryFolder(), 'clone');
  git(origin, 'clone', '-q', '--filter=blob:none', `file://${origin}`, clone);
  git(clone, 'config', 'user.name', 'Test');
  git(clone, 'config', 'user.email', 'test@example.invalid');
  return clone;
}

const SIGNS =
  /signatures: `commit\.gpgsign` is set.*unsigned.*`(git rebase --exec 'git commit --amend --no-edit -S' [0-9a-f]{40}\^)`/u;
const PARTIAL = /partial clone: .*cannot fetch.*`(git config --unset [^`]+ && git fetch --refetch [^`]+)`/u;

function signingRepository(value = 'true'): string {
  const cwd = makeRepository();
  git(cwd, 'config', 'commit.gpgsign', value);
  // Signs without keys: its status lines are those of a made signature.
  git(cwd, 'config', 'gpg.program', join(import.meta.dirname, 'signing-program.sh'));
  return cwd;
}

describeInBubblewrap('in bubblewrap', () => {
  it('a commit is unsigned although the user signs, and a warning tells how it is signed', async () => {
    const cwd = signingRepository();
    const warnings = await warningsOf(commitLine('b'), { cwd, sandbox: bubblewrap({ egress: 'none' }) });
    expect(warnings).toEqual([expect.stringMatching(SIGNS)]);
    expect(git(cwd, 'log', '-1', '--format=%G?')).toBe('N');
    const command = SIGNS.exec(warnings[0] ?? '')?.[1] ?? '';
    git(cwd, '-c', 'alias.told=!' + command, 'told');
    expect(git(cwd, 'cat-file', 'commit', 'HEAD')).toContain('gpgsig');
    expect(git(cwd, 'cat-file', 'commit', 'HEAD^')).not.toContain('gpgsig');
  });

  it.each([
    ['a run without a commit', 'true', 'true'],
    ['a user who does not sign', 'false', commitLine('b')],
  ])('%s has no warning about signatures', async (_case, signs, script) => {
    const cwd = signingRepository(signs);
    expect(await warningsOf(script, { cwd, sandbox: bubblewrap({ egress: 'none' }) })).toEqual([]);
  });

  it('a partial clone shows no old text, and a warning tells how it is completed', async () => {
    const cwd = partialClone();
    const script = 'test -z "$(git log -p --format= -- a.txt 2>/dev/null | grep one)" && ' + commitLine('b');
    const sandbox = bubblewrap({ egress: 'none' });
    const warnings = await warningsOf(script, { cwd, sandbox });
    expect(warnings).toEqual([expect.stringMatching(PARTIAL)]);
    const command = PARTIAL.exec(warnings[0] ?? '')?.[1] ?? '';
    git(cwd, '-c', 'alias.told=!' + command, 'told');
    const found = 'git log -p --format= -- a.txt | grep -q one && ' + commitLine('c');
    expect(await warningsOf(found, { cwd, sandbox })).toEqual([]);
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('add c');
  });
});

it('an isolated sandbox warns about signatures too', async () => {
  const cwd = signingRepository();
  const warnings = await warningsOf(commitLine('b'), { cwd, sandbox: localIsolatedSandbox() });
  expect(warnings).toEqual([expect.stringMatching(SIGNS)]);
});

it('without a sandbox the commits are signed, and there is no warning', async () => {
  const cwd = signingRepository();
  expect(await warningsOf(commitLine('b'), { cwd, sandbox: noSandbox() })).toEqual([]);
  expect(git(cwd, 'cat-file', 'commit', 'HEAD')).toContain('gpgsig');
});
