/**
 * Tests of a guest's git store: no change in the guest's git directory reaches the host's history.
 * Every local sandbox passes them.
 */
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createContractFixture,
  type ContractFixture,
} from '../packages/testing/src/sandbox-contract-fixture.ts';
import type {
  BindMountSandboxProvider,
  SandboxExecResult,
} from '../packages/truecast/src/ports/sandbox-provider.ts';
import type { OwnGitHandle } from '../packages/truecast/src/ports/own-git.ts';
import { BESIDE_BUBBLEWRAP, type DeclareTest, matrixColumns, matrixRow } from './matrix.ts';

/** Git commands and file operations by which a guest tries to change the host's history. */
const ATTACKS: readonly (readonly [what: string, attack: string])[] = [
  [
    'deleting all objects',
    'rm -rf "$G"/objects/* /run/truecast/objects/*; find / -path "*/objects/*" -delete',
  ],
  ['pruning', 'git reflog expire --all --expire=now; git gc -q --prune=now'],
  [
    'deleting all references',
    'rm -rf "$G"/refs/* "$G"/packed-refs "$G"/logs "$(git rev-parse --git-common-dir)"/refs/*',
  ],
  ['moving main', 'git update-ref refs/heads/main "$(git commit-tree -m evil "HEAD^{tree}")"'],
  ['moving a tag', 'git tag -f v1 "$(git commit-tree -m evil "HEAD^{tree}")"'],
  [
    'moving a remote-tracking branch',
    'git update-ref refs/remotes/origin/main "$(git commit-tree -m evil "HEAD^{tree}")"',
  ],
  [
    'planting a replacement',
    'git update-ref "refs/replace/$(git rev-parse HEAD)" "$(git commit-tree -m evil "HEAD^{tree}")"',
  ],
  [
    'forging an object',
    'o=$(git rev-parse HEAD:kept); f="objects/$(echo "$o" | cut -c1-2)"; e=$(echo evil | git hash-object -w --stdin); mkdir -p "$G/$f"; rm -f "$G/$f/$(echo "$o" | cut -c3-)"; cp "$G/objects/$(echo "$e" | cut -c1-2)/$(echo "$e" | cut -c3-)" "$G/$f/$(echo "$o" | cut -c3-)"',
  ],
  ['cutting the history', 'git rev-parse HEAD > "$G/shallow"'],
];

let fixture: ContractFixture;
let handle: OwnGitHandle;

/**
 * Declares the tests for one sandbox. With a `row` of a matrix of engines, the short form tries a
 * tenth of the cases in each.
 */
export function declareGitHistory(makeProvider: () => BindMountSandboxProvider, row?: number): void {
  beforeEach(async () => {
    fixture = await createContractFixture();
    await prepareRepository();
    handle = await makeProvider().create(fixture.options);
  });
  afterEach(async () => {
    await handle.close();
    await fixture.remove();
  });
  describe('the history of the host', () => declareHistory(row));
  describe('the git of a guest', () => {
    const declare = declareIn(row);
    declareSight(declare);
    declareWork(declare);
  });
}

const SECRET = 'hunter2-secret';
const SETTINGS = `[http "https://example.invalid/"]
\textraheader = AUTHORIZATION: basic ${SECRET}
[remote "origin"]
\turl = https://x-access-token:${SECRET}@example.invalid/repo.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
`;

async function prepareRepository(): Promise<void> {
  const { git, options } = fixture;
  const path = options.hostRepoPath;
  await writeFile(join(path, 'kept'), 'kept\n');
  await git('add', 'kept');
  await git('commit', '-q', '-m', 'kept');
  await git('-C', fixture.worktreePath, 'reset', '-q', '--hard', 'main');
  const head = await git('rev-parse', 'HEAD');
  await mkdir(join(path, '.git/refs/remotes/origin'), { recursive: true });
  for (const ref of ['tags/v1', 'remotes/origin/main']) {
    await writeFile(join(path, '.git/refs', ref), `${head}\n`);
  }
  await appendFile(join(path, '.git/config'), SETTINGS);
  await writeFile(join(path, 'kept'), 'stashed\n');
  await git('stash', '-q');
}

function inside(script: string): Promise<SandboxExecResult> {
  return handle.exec(`G="$(git rev-parse --absolute-git-dir)"; ${script}`);
}

/** Every reference except the run's own and the recovered ones. */
async function otherReferences(): Promise<string> {
  const all = await fixture.git('for-each-ref', '--format=%(objectname) %(refname)');
  return all
    .split('\n')
    .filter((line) => !/ refs\/(heads\/work$|truecast\/recovered\/)/u.test(line))
    .join('\n');
}

/** Engines share the cases in the short form. */
function declareIn(row: number | undefined): DeclareTest {
  return row === undefined ? it : matrixRow(row, BESIDE_BUBBLEWRAP);
}

function declareHistory(row: number | undefined): void {
  const attacks = row === undefined ? ATTACKS : matrixColumns(row, ATTACKS, BESIDE_BUBBLEWRAP);
  it.each(attacks)('survives %s', async (_what, attack) => {
    const before = await otherReferences();
    const objects = await fixture.git('rev-list', '--objects', '--all');
    await inside(`{ ${attack}; } 2>/dev/null; true`);
    await handle.syncOut?.().catch(() => undefined);
    expect(await otherReferences()).toBe(before);
    expect(await fixture.git('fsck', '--full', '--strict')).not.toMatch(/error|missing|broken/u);
    expect((await fixture.git('rev-list', '--objects', '--all')).split('\n')).toEqual(
      expect.arrayContaining(objects.split('\n')),
    );
    expect(await fixture.git('show', 'main:kept')).toBe('kept');
    expect(existsSync(join(fixture.options.hostRepoPath, '.git', 'shallow'))).toBe(false);
  });
}

function declareSight(it: DeclareTest): void {
  it('holds no credential of the configuration', async () => {
    const { stdout } = await inside(
      'git config --list; git remote -v; cat "$G"/config; grep -rs "" /run/truecast 2>/dev/null | head -c 100000',
    );
    expect(stdout).toContain('example.invalid/repo.git');
    expect(stdout).not.toContain(SECRET);
  });

  it('has no stash and no other worktree', async () => {
    const { stdout } = await inside(
      'git stash list; git for-each-ref; ls "$G/worktrees" "$(git rev-parse --git-common-dir)/worktrees"',
    );
    expect(stdout).toContain('refs/heads/main');
    expect(stdout).not.toContain('stash');
  });

  it('has every branch, tag and commit', async () => {
    const { stdout } = await inside('git log -1 --format=%s main; git show v1:kept; git fsck');
    expect(stdout).toContain('kept\nkept\n');
  });
}

function declareWork(it: DeclareTest): void {
  it('arrives on its branch, with what was staged staged and what was changed changed', async () => {
    await inside(
      'echo a > a; git add a; git commit -q -m inside; echo b > b; git add b; echo c >> a; echo d > d; rm kept',
    );
    await handle.syncOut?.();
    const { git, worktreePath } = fixture;
    expect(await git('log', '-1', '--format=%s', 'work')).toBe('inside');
    expect(await git('-C', worktreePath, 'status', '--porcelain')).toBe('M a\nA  b\n D kept\n?? d');
  });

  it('is kept aside where it is not on the branch, and listed', async () => {
    await inside(
      'git checkout -q -b side; echo a > a; git add a; git commit -q -m side; git checkout -q work; echo b > kept; git stash -q',
    );
    const handed = await handle.handOver?.();
    const names = handed?.recovered.map(({ from }) => from) ?? [];
    expect(names).toEqual(['refs/heads/side', 'stash@{0}']);
    const [side] = handed?.recovered ?? [];
    expect(await fixture.git('log', '-1', '--format=%s', side?.ref ?? '')).toBe('side');
  });

  it('arrives again and again from a sandbox that stays', async () => {
    for (const name of ['one', 'two', 'three']) {
      await inside(`echo ${name} > ${name}; git add .; git commit -q -m ${name}`);
      await handle.syncOut?.();
      expect(await fixture.git('log', '-1', '--format=%s', 'work')).toBe(name);
      expect(await fixture.git('-C', fixture.worktreePath, 'status', '--porcelain')).toBe('');
    }
  });

  it('is kept aside when the branch moved on the host', async () => {
    await inside('echo a > a; git add a; git commit -q -m inside');
    const moved = await fixture.git('commit-tree', '-p', 'work', '-m', 'host', 'work^{tree}');
    await fixture.git('update-ref', 'refs/heads/work', moved);
    const handed = await handle.handOver?.();
    expect(await fixture.git('rev-parse', 'work')).toBe(moved);
    expect(await fixture.git('log', '-1', '--format=%s', handed?.recovered[0]?.ref ?? '')).toBe('inside');
  });

  it('leaves no store behind', async () => {
    await inside('echo a > a; git add a; git commit -q -m inside');
    await handle.syncOut?.();
    await handle.close();
    const guests = join(fixture.options.hostRepoPath, '.git', 'truecast', 'guests');
    await mkdir(guests, { recursive: true });
    await expect(
      rm(guests, { recursive: false, force: false }).catch((e: unknown) => e),
    ).resolves.toBeDefined();
    expect(await fixture.git('fsck', '--full', '--strict')).not.toMatch(/error|missing/u);
  });
}
