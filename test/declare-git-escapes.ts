/**
 * One test for each escape from a local sandbox through git's directories. Every such sandbox must
 * pass them.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createContractFixture,
  type ContractFixture,
} from '../packages/testing/src/sandbox-contract-fixture.ts';
import type {
  BindMountSandboxProvider,
  SandboxCreateOptions,
  SandboxExecResult,
  SandboxHandle,
} from '../packages/truecast/src/ports/sandbox-provider.ts';
import { BESIDE_BUBBLEWRAP, type DeclareTest, matrixColumns, matrixRow } from './matrix.ts';

/** Files by which a guest can try to make the host run a program, from a linked worktree. */
export const LINKED_WORKTREE_ATTACKS: readonly (readonly [what: string, attack: (run: string) => string])[] =
  [
    [
      'a hook',
      (run: string) =>
        `cd "$(git rev-parse --git-common-dir)" && printf '#!/bin/sh\\n${run}\\n' > hooks/pre-commit; chmod +x hooks/pre-commit; rm -rf hooks; mkdir hooks; printf '#!/bin/sh\\n${run}\\n' > hooks/pre-commit; chmod +x hooks/pre-commit`,
    ],
    [
      'the configuration',
      (run: string) =>
        `git config core.fsmonitor "${run}"; git config --file "$(git rev-parse --git-common-dir)/config" core.fsmonitor "${run}"`,
    ],
    [
      'the configuration where it is seen a second time',
      (run: string) => `git config --file /run/truecast/git/config core.fsmonitor "${run}"`,
    ],
    [
      'another configuration for the worktree',
      (run: string) =>
        `git config --file "$(git rev-parse --git-dir)/config.worktree" core.fsmonitor "${run}"`,
    ],
    [
      "the worktree's .git file",
      (run: string) =>
        `git init -q /tmp/evil; git -C /tmp/evil config core.fsmonitor "${run}"; rm -f .git; mv .git old; cp -r /tmp/evil/.git .git; printf 'gitdir: %s/evil\\n' "$PWD" > .git`,
    ],
    [
      'commondir',
      (run: string) =>
        `git init -q evil; git -C evil config core.fsmonitor "${run}"; d=$(git rev-parse --git-dir); printf '%s/evil/.git' "$PWD" > "$d/commondir"; rm -f "$d/commondir"; mv "$d/commondir" "$d/x"; rm -rf evil/.git`,
    ],
    [
      'a new commondir of the common folder',
      (run: string) =>
        `git init -q evil; git -C evil config core.fsmonitor "${run}"; printf '%s/evil/.git' "$PWD" > "$(git rev-parse --git-common-dir)/commondir"; cd /tmp; printf x > /run/truecast/git/commondir`,
    ],
  ];

/** The same from the main checkout. */
export const MAIN_CHECKOUT_ATTACKS: readonly (readonly [what: string, attack: (run: string) => string])[] = [
  [
    'a hook',
    (run: string) =>
      `printf '#!/bin/sh\\n${run}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; mv .git/hooks .git/old; mkdir .git/hooks`,
  ],
  [
    'the configuration',
    (run: string) => `git config core.fsmonitor "${run}"; mv .git/config .git/c; rm -f .git/config`,
  ],
  [
    'another .git',
    (run: string) =>
      `git init -q /tmp/evil; git -C /tmp/evil config core.fsmonitor "${run}"; mv .git old; cp -r /tmp/evil/.git .git`,
  ],
  [
    'a new commondir',
    (run: string) =>
      `git init -q evil; git -C evil config core.fsmonitor "${run}"; printf '../evil/.git' > .git/commondir`,
  ],
  [
    'a new commondir that comes and goes',
    (run: string) =>
      `git init -q evil; git -C evil config core.fsmonitor "${run}"; for i in $(seq 20000); do printf '../evil/.git' > .git/commondir; done`,
  ],
];

let fixture: ContractFixture;
let handle: SandboxHandle | undefined;
let provider: BindMountSandboxProvider;

async function start(created: Partial<SandboxCreateOptions> = {}): Promise<void> {
  await handle?.close();
  handle = await provider.create({ ...fixture.options, ...created });
}

/** Starts in the repository's main checkout instead of the linked worktree. */
async function startInMainCheckout(): Promise<void> {
  const worktreePath = fixture.options.hostRepoPath;
  const commonDir = join(worktreePath, '.git');
  await start({ worktreePath, git: { commonDir, gitDir: commonDir } });
}

function inside(command: string): Promise<SandboxExecResult> {
  return started().exec(command);
}

function started(): SandboxHandle {
  if (handle === undefined) throw new TypeError('no sandbox was started');
  return handle;
}

/** The guest's program for the host, and the path that shows it ran. */
function marker(): { readonly path: string; readonly command: string } {
  const path = join(fixture.folder, 'escaped');
  return { path, command: `touch '${path}'` };
}

/**
 * Runs the user's plain `git status` and `git commit`, which follow any configuration and hooks
 * that git finds.
 */
async function useGitOnHost(cwd: string): Promise<void> {
  const env = { HOME: fixture.folder, GIT_CONFIG_NOSYSTEM: '1', PATH: process.env['PATH'] ?? '' };
  await execa('git', ['status'], { cwd, env, extendEnv: false, reject: false });
  await execa('git', ['commit', '--allow-empty', '-m', 'host'], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
  });
}

/**
 * Declares the tests for one sandbox. With a `row` of a matrix of engines, the short form tries a tenth
 * of them in each.
 */
export function declareGitEscapes(makeProvider: () => BindMountSandboxProvider, row?: number): void {
  beforeEach(async () => {
    provider = makeProvider();
    fixture = await createContractFixture();
  });
  afterEach(async () => {
    await handle?.close();
    handle = undefined;
    await fixture.remove();
  });
  const declare = row === undefined ? it : matrixRow(row, BESIDE_BUBBLEWRAP);
  describe('git of a linked worktree', () => declareLinkedWorktree(row, declare));
  describe('git of a main checkout', () => declareMainCheckout(row, declare));
}

function attacksOf<Attack>(attacks: readonly Attack[], row: number | undefined): readonly Attack[] {
  return row === undefined ? attacks : matrixColumns(row, attacks, BESIDE_BUBBLEWRAP);
}

function declareLinkedWorktree(row: number | undefined, declare: DeclareTest): void {
  beforeEach(() => start());

  it.each(attacksOf(LINKED_WORKTREE_ATTACKS, row))(
    'cannot be led to run a program on the host by %s',
    async (_what, attack) => {
      const { path, command } = marker();
      await inside(attack(command));
      await started().syncOut?.();
      await useGitOnHost(fixture.worktreePath);
      await useGitOnHost(fixture.options.hostRepoPath);
      expect(existsSync(path)).toBe(false);
    },
  );

  declare('serves every usual command', async () => {
    const { exitCode, stderr } = await inside(
      `set -e; export GIT_EDITOR=true
       echo a > a; git add a; git commit -q -m a; echo b > b; git add b; git commit -q -m b; git commit -q --amend -m b2
       git checkout -q -b side HEAD~1; echo c > c; git add c; git commit -q -m c; git checkout -q work
       git cherry-pick side; git merge -q --no-edit -s ours side; git revert --no-edit HEAD~1
       echo d > a; git stash -q; git stash pop -q; git checkout -q a
       git rebase -q HEAD~1; git reset -q --hard HEAD~1; git branch -m side other; git branch -D other; git tag t; git tag -d t
       git config user.name Other; git fsck --strict; test -z "$(git status --porcelain)"`,
    );
    expect(stderr.replaceAll(/^(hint|Note|notice).*$/gm, '')).not.toMatch(/error|fatal/);
    expect(exitCode).toBe(0);
  });

  declare("does not follow a link that the guest put in the place of git's log", async () => {
    const { path } = marker();
    const attack = `rm -rf "$(git rev-parse --git-dir)/logs/HEAD"; mkdir -p "$(git rev-parse --git-dir)/logs"; ln -s '${path}' "$(git rev-parse --git-dir)/logs/HEAD"`;
    await inside(attack);
    await useGitOnHost(fixture.worktreePath);
    expect(existsSync(path)).toBe(false);
  });

  declare('cannot touch the branch that the user has checked out, nor another worktree', async () => {
    const other = join(fixture.folder, 'other');
    await fixture.git('worktree', 'add', '-q', '-b', 'other', other);
    const { stdout } = await inside(
      'd="$(git rev-parse --git-common-dir)"; ls "$d/worktrees"; echo x > "$d/HEAD"; echo x > "$d/worktrees/other/HEAD"; ls ..',
    );
    expect(stdout).not.toContain('other');
    expect(await fixture.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
    expect(await fixture.git('-C', other, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('other');
  });
}

function declareMainCheckout(row: number | undefined, declare: DeclareTest): void {
  beforeEach(startInMainCheckout);

  it.each(attacksOf(MAIN_CHECKOUT_ATTACKS, row))(
    'cannot be led to run a program on the host by %s',
    async (_what, attack) => {
      const { path, command } = marker();
      await started()
        .exec(attack(command), { signal: AbortSignal.timeout(5_000) })
        .catch(() => undefined);
      await started().syncOut?.();
      await useGitOnHost(fixture.options.hostRepoPath);
      expect(existsSync(path)).toBe(false);
    },
  );

  declare('commits', async () => {
    expect(
      await inside('echo a > a; git add a; git commit -q -m a; git branch x; git branch -D x'),
    ).toMatchObject({ exitCode: 0 });
    await started().syncOut?.();
    expect(await fixture.git('log', '-1', '--format=%s')).toBe('a');
  });

  declare('does not show the settings of the host, and cannot change what the next run reads', async () => {
    const own = join(fixture.options.hostRepoPath, '.truecast');
    await mkdir(own, { recursive: true });
    await writeFile(join(own, '.env'), 'KEY=secret-of-the-env');
    await startInMainCheckout();
    await inside('echo seen > seen; mv .truecast elsewhere; true');
    const { stdout } = await inside('find . -not -path "./.git/*" -type f | xargs cat');
    expect(stdout).toContain('seen');
    expect(stdout).not.toContain('secret-of');
    await inside('echo BAD=1 > .truecast/.env; echo x > .truecast/prompt.md; rm -f .truecast/.env; true');
    expect(await readFile(join(own, '.env'), 'utf8')).toBe('KEY=secret-of-the-env');
    expect(await readdir(own)).not.toContain('prompt.md');
  });
}
