/** Repositories whose hooks are files that git ignores, as husky generates them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const GATE = '#!/bin/sh\necho refused by the gate >&2\nexit 1\n';

/** Version 9 generates the hooks, version 8 only a file that they read. */
const HUSKIES = {
  9: { hooksPath: '.husky/_', files: { '.husky/_/.gitignore': '*\n', '.husky/_/pre-commit': GATE } },
  8: {
    hooksPath: '.husky',
    files: {
      '.husky/_/.gitignore': '*\n',
      '.husky/_/husky.sh': 'echo refused by the gate >&2\nexit 1\n',
      '.husky/pre-commit': '#!/bin/sh\n. "$(dirname "$0")/_/husky.sh"\n',
    },
  },
} as const;

function repository(version: keyof typeof HUSKIES): string {
  const cwd = makeRepository();
  const { hooksPath, files } = HUSKIES[version];
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode: 0o755 });
  }
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'husky');
  git(cwd, 'config', 'core.hooksPath', hooksPath);
  return cwd;
}

async function warningsOf(cwd: string, changes: Partial<RunOptions> = {}): Promise<readonly string[]> {
  const branchStrategy = { type: 'merge-to-head' } as const;
  const script = `${commitLine('b')}; true`;
  return (await run(runOptions(script, { cwd, branchStrategy, ...changes }))).warnings;
}

describe.each([8, 9] as const)('a repository with husky %i', (version) => {
  it('warns that its worktree has no hooks, and what creates them', async () => {
    const cwd = repository(version);
    const [warning = '', ...more] = await warningsOf(cwd);
    expect(more).toEqual([]);
    expect(warning).toMatch(/core\.hooksPath.*no `\.husky\/_`.*`host\.onWorktreeReady`/u);
    const command = /or `(mkdir [^`]+)`/u.exec(warning)?.[1] ?? '';
    const hooks = { host: { onWorktreeReady: [{ command }] } };
    expect((await warningsOf(cwd, { hooks })).join('\n')).not.toContain('core.hooksPath');
    // The gate refuses the commit, as in the checkout.
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe(version === 9 ? 'add b' : 'husky');
  });

  it('has no warning in the checkout itself', async () => {
    expect(await warningsOf(repository(version), { branchStrategy: { type: 'head' } })).toEqual([]);
  });
});

it('has no warning for hooks that git tracks', async () => {
  const cwd = makeRepository();
  mkdirSync(join(cwd, 'hooks'));
  writeFileSync(join(cwd, 'hooks', 'pre-commit'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'hooks');
  git(cwd, 'config', 'core.hooksPath', 'hooks');
  expect(await warningsOf(cwd)).toEqual([]);
});
