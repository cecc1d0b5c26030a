/** Trees that a guest builds by hand: what git refuses, and what no checkout can contain. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';
import { GIT_VARIANTS } from './git-variants.ts';

const GUEST = { sandbox: bubblewrap({ egress: 'none' }), branchStrategy: { type: 'merge-to-head' } } as const;

/** Commits a tree of raw entries: `<mode> <type> <id>\t<name>`, next to the files of the base. */
const commitTree = (entries: string): string => `set -e
b=$(echo x | git hash-object -w --stdin)
t=$( (git ls-tree HEAD; printf '100644 blob %s\\tz1.txt\\n' $b; ${entries}) | git mktree --missing)
git update-ref HEAD $(git commit-tree -m work -p HEAD $t); git reset -q`;

/** Returns the shell commands that wrap the entry of the blob `$b` in folders. */
const nested = (name: string, depth: number): string =>
  `n=$(printf '100644 blob %s\\tf\\n' $b | git mktree); i=0; while [ $i -lt ${depth} ]; do n=$(printf '040000 tree %s\\t${name}\\n' $n | git mktree); i=$((i+1)); done; printf '040000 tree %s\\tz2\\n' $n`;

const LONG = `$(printf '%0300d' 1)`;

describeInBubblewrap('a merge of files that no checkout can contain', () => {
  it.each([
    ['a name of 300 bytes', `printf "100644 blob %s\\t${LONG}\\n" $b`],
    ['a path of 5,000 bytes', nested('x'.repeat(200), 25)],
    ['a link without a target', `printf '120000 blob %s\\tz2\\n' $(git hash-object -w --stdin </dev/null)`],
    [
      'a link with a target of 5,000 bytes',
      `printf '120000 blob %s\\tz2\\n' $(printf '%05000d' 1 | git hash-object -w --stdin)`,
    ],
  ])('leaves nothing behind: %s', async (_title, entries) => {
    const cwd = makeRepository();
    const error = await failureIn(cwd, commitTree(entries));
    expect(error).toBeInstanceOf(RepositoryError);
    expect(error).toMatchObject({ code: 'merge-conflict' });
    expect(git(cwd, 'log', '-1', '--format=%s', (error as RepositoryError).branch ?? '')).toBe('work');
  });

  it('is not reached: a hand-over with content that a partial clone lacks is refused, and nothing is fetched', async () => {
    const cwd = GIT_VARIANTS.find(({ title }) => title.includes('partial'))?.create(temporaryFolder()) ?? '';
    const mark = join(cwd, '..', 'fetched');
    git(cwd, 'config', 'remote.origin.uploadpack', `touch ${mark}; git-upload-pack`);
    const missing = git(cwd, 'rev-parse', 'HEAD~1:a.txt');
    const error = await failureIn(cwd, commitTree(`printf '100644 blob %s\\tz2\\n' ${missing}`));
    expect(error).toMatchObject({ code: 'sync' });
    expect(existsSync(mark)).toBe(false);
    expect(git(cwd, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });
});

/** Runs a guest whose work is refused, and checks that the checkout is as before. */
async function failureIn(cwd: string, script: string): Promise<unknown> {
  const seen = (): unknown => ({
    head: git(cwd, 'rev-parse', 'HEAD'),
    status: git(cwd, 'status', '--porcelain'),
    files: readdirSync(cwd).filter((name) => name !== '.truecast'),
  });
  const before = seen();
  const error = await run(runOptions(script, { cwd, ...GUEST })).catch((thrown: unknown) => thrown);
  expect(seen()).toEqual(before);
  return error;
}
