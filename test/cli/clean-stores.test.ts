/** Tests of `truecast clean` on git stores of guests whose run was killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository } from './cli-fixture.ts';
import { runCommand } from './run-command.ts';

const HOST = await bundledHost(new URL('../run/guest-git-host.ts', import.meta.url));

interface Cleaned {
  readonly removed?: readonly { readonly kind: string; readonly name: string }[];
  readonly removable?: readonly { readonly kind: string; readonly name: string }[];
  readonly kept: readonly { readonly kind: string; readonly name: string; readonly keptBecause: string }[];
}

async function clean(repo: string, ...flags: readonly string[]): Promise<Cleaned & { stderr: string }> {
  const temporary = join(repo, '..', 'tmp-clean');
  mkdirSync(temporary, { recursive: true });
  const env = { HOME: temporary, TMPDIR: temporary };
  const { stdout, stderr, exitCode } = await runCommand(['clean', '--json', ...flags], { cwd: repo, env });
  expect(exitCode, stderr).toBe(0);
  return { ...(JSON.parse(stdout) as Cleaned), stderr };
}

function storesOf(repo: string): readonly string[] {
  const folder = join(repo, '.git', 'truecast', 'guests');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

it('removes a store that a kill left half laid out, and lists no store that is being laid out', async () => {
  const repo = makeRepository();
  for (const name of ['old', 'new']) {
    mkdirSync(join(repo, '.git', 'truecast', 'guests', name, 'git'), { recursive: true });
  }
  const [old = '', fresh = ''] = storesOf(repo).toReversed();
  utimesSync(old, 1, 1);
  const listed = await clean(repo);
  expect(listed.removable).toEqual([{ kind: 'git-store', name: old }]);
  expect(storesOf(repo)).toHaveLength(2);
  expect((await clean(repo, '--yes')).removed).toEqual(listed.removable);
  expect(storesOf(repo)).toEqual([fresh]);
});

describeInBubblewrap('the store of a killed run', () => {
  it('is kept with its branch and the next step, and removed when it is named', async () => {
    const repo = makeRepository();
    const worktree = join(repo, '.truecast', 'worktrees', 'w');
    await git(repo, 'worktree', 'add', '-q', '-b', 'run', worktree);
    const gitDir = await git(worktree, 'rev-parse', '--absolute-git-dir');
    const script = 'echo w > work; git add work; git commit -q -m work';
    const child = spawn(process.execPath, [HOST, repo, worktree, gitDir, 'working', script]);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const [store = ''] = storesOf(repo);
    const kept = (await clean(repo, '--yes')).kept.filter(({ kind }) => kind === 'git-store');
    expect(kept).toMatchObject([
      {
        name: store,
        keptBecause: expect.stringContaining('work of an ended run on run; the next run') as unknown,
      },
    ]);
    expect((await clean(repo)).stderr).toContain('--force-dirty PATH');
    expect(storesOf(repo)).toEqual([store]);
    const { removed } = await clean(repo, '--yes', '--force-dirty', store);
    expect(removed).toContainEqual({ kind: 'git-store', name: store });
    expect(storesOf(repo)).toEqual([]);
  });
});
