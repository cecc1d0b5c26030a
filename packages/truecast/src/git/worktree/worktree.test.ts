import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { copyToWorktree } from './copy-to-worktree.ts';
import { pruneWorktrees, removeWorktree } from './remove-worktree.ts';
import { readStatus } from './status.ts';
import {
  CALL,
  cleanUp,
  commit,
  newRepository,
  open,
  place,
  plainGit,
  temporaryFolder,
  writeIn,
} from '../test-repository.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

afterEach(cleanUp);

function named(branch: string, baseBranch?: string) {
  return {
    branchStrategy: { type: 'branch' as const, branch, ...(baseBranch !== undefined && { baseBranch }) },
  };
}

async function dirty(worktree: LockedWorktree): Promise<boolean> {
  const checkedOut = {
    paths: worktreePaths(worktree),
    trustedCommit: worktree.baseSha,
    trustedConfig: worktree.repository.trustedConfig,
  };
  return (await readStatus(checkedOut, CALL)).isDirty;
}

test('works in the checkout itself with `head`, dirty and detached as it may be', async () => {
  const path = newRepository();
  writeIn(path, 'new.txt', 'x');
  plainGit(path, 'checkout', '--quiet', '--detach');
  const worktree = await place(path, { branchStrategy: { type: 'head' } });
  expect(worktree).toMatchObject({ path, branch: undefined, gitDir: join(path, '.git'), isReused: true });
  await expect(place(path, { branchStrategy: { type: 'head' } })).rejects.toMatchObject({ code: 'locked' });
  expect(await removeWorktree(worktree, CALL)).toEqual({ isRemoved: false, isDirty: true });
  expect(existsSync(join(path, 'new.txt'))).toBe(true);
});

test('creates a temporary branch in a new worktree, which the user’s status does not show', async () => {
  const path = newRepository('it\'s a "repo"');
  const worktree = await place(path, { name: 'My Run' });
  expect(worktree.branch).toMatch(/^truecast\/my-run\/20260102-030405-[0-9a-f]{6}$/u);
  expect(worktree.path.startsWith(join(path, '.truecast', 'worktrees'))).toBe(true);
  expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('one\n');
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
  expect(plainGit(worktree.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(worktree.branch);
  expect(await removeWorktree(worktree, CALL)).toEqual({ isRemoved: true, isDirty: false });
  expect(existsSync(worktree.path)).toBe(false);
  expect(plainGit(path, 'worktree', 'list')).not.toContain('.truecast');
});

test('keeps what a user has in `.truecast/` visible to git', async () => {
  const path = newRepository();
  writeIn(path, '.truecast/prompt.md', 'Do it.');
  await place(path);
  expect(plainGit(path, 'status', '--porcelain', '-uall')).toBe('?? .truecast/prompt.md');
});

test('is created next to the main checkout when called in a linked worktree', async () => {
  const path = newRepository();
  const linked = join(temporaryFolder(), 'linked');
  plainGit(path, 'worktree', 'add', '--quiet', '-b', 'side', linked);
  const worktree = await place(linked);
  expect(worktree.path.startsWith(join(path, '.truecast'))).toBe(true);
  expect(worktree.repository.branch).toBe('side');
});

test.each(['untracked', 'changed', 'staged'])('keeps a worktree with %s files', async (kind) => {
  const worktree = await place(newRepository());
  writeIn(worktree.path, kind === 'untracked' ? 'new file.txt' : 'a.txt', 'agent\n');
  if (kind === 'staged') plainGit(worktree.path, 'add', '.');
  expect(await removeWorktree(worktree, CALL)).toEqual({ isRemoved: false, isDirty: true });
  expect(existsSync(join(worktree.path, 'a.txt'))).toBe(true);
});

test('keeps a worktree with a repository inside that is added as a submodule', async () => {
  const worktree = await place(newRepository());
  const inner = join(worktree.path, 'inner');
  mkdirSync(inner);
  plainGit(inner, 'init', '--quiet');
  commit(inner, 'x.txt', 'only here');
  plainGit(worktree.path, '-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
  plainGit(worktree.path, 'commit', '--quiet', '-m', 'gitlink');
  expect(await removeWorktree(worktree, CALL)).toEqual({ isRemoved: false, isDirty: true });
});

test('deletes a temporary branch with its worktree only while nothing is committed on it', async () => {
  const path = newRepository();
  const [unused, used] = [await place(path), await place(path)];
  commit(used.path, 'b.txt', 'b');
  for (const worktree of [unused, used]) expect((await removeWorktree(worktree, CALL)).isRemoved).toBe(true);
  expect(plainGit(path, 'branch', '--list', 'truecast/*').trim()).toBe(used.branch);
});

test('removes a worktree whose other files are all ignored', async () => {
  const path = newRepository();
  commit(path, '.gitignore', 'node_modules/\n');
  const worktree = await place(path);
  writeIn(worktree.path, 'node_modules/x.js', '1');
  expect(await dirty(worktree)).toBe(false);
  expect((await removeWorktree(worktree, CALL)).isRemoved).toBe(true);
});

test('begins a new named branch at HEAD, at `baseBranch`, or at its namesake on origin', async () => {
  const origin = newRepository('origin');
  plainGit(origin, 'checkout', '--quiet', '-b', 'shared');
  const shared = commit(origin, 's.txt', 's');
  plainGit(origin, 'checkout', '--quiet', 'main');
  const path = join(temporaryFolder(), 'clone');
  plainGit(origin, 'clone', '--quiet', origin, path);
  const head = plainGit(path, 'rev-parse', 'HEAD');
  expect(await place(path, named('fresh'))).toMatchObject({
    baseSha: head,
    isReused: false,
    branch: 'fresh',
  });
  expect((await place(path, named('based', 'origin/shared'))).baseSha).toBe(shared);
  expect((await place(path, named('shared'))).baseSha).toBe(shared);
  expect(
    plainGit(path, 'config', '--get-regexp', '^branch\\.')
      .split('\n')
      .filter((line) => !line.startsWith('branch.main')),
  ).toEqual([]);
});

test('refuses a `baseBranch` that is not there, and a name that is no branch', async () => {
  const path = newRepository();
  await expect(place(path, named('x', 'nowhere'))).rejects.toMatchObject({ code: 'invalid-branch' });
  await expect(place(path, named('-x'))).rejects.toMatchObject({ code: 'invalid-branch' });
  await (await place(path, named('x'))).lock.release();
});

test('refuses a second run on the same branch while the first is at work', async () => {
  const path = newRepository();
  const first = await place(path, named('work'));
  await expect(place(path, named('work'))).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining(`The branch \`work\` is in use by process ${process.pid}`),
  });
  await first.lock.release();
  await (await place(path, named('work'))).lock.release();
});

test('refuses a branch that is checked out elsewhere, and reports where', async () => {
  const path = newRepository();
  await expect(place(path, named('main'))).rejects.toMatchObject({
    code: 'branch-in-use',
    message: expect.stringContaining(`\`${path}\``),
  });
  const other = join(temporaryFolder(), 'other');
  plainGit(path, 'worktree', 'add', '--quiet', '-b', 'side', other);
  await expect(place(path, named('side'))).rejects.toThrow(other);
});

test('names the command for a worktree that sandcastle left', async () => {
  const path = newRepository();
  const other = join(path, '.sandcastle/worktrees/side');
  plainGit(path, 'worktree', 'add', '--quiet', '-b', 'side', other);
  await expect(place(path, named('side'))).rejects.toMatchObject({
    code: 'branch-in-use',
    message: expect.stringContaining(`git worktree remove ${other}`),
  });
});

test('refuses a branch that is being rebased elsewhere', async () => {
  const path = newRepository();
  const other = join(temporaryFolder(), 'other');
  plainGit(path, 'worktree', 'add', '--quiet', '-b', 'side', other);
  commit(other, 'a.txt', 'theirs');
  commit(path, 'a.txt', 'ours');
  expect(() => plainGit(other, 'rebase', '--quiet', 'main')).toThrow('could not apply');
  await expect(place(path, named('side'))).rejects.toMatchObject({ code: 'branch-in-use' });
});

test('uses a clean worktree again, and leaves it there at the end', async () => {
  const path = newRepository();
  const first = await place(path, named('work'));
  const made = commit(first.path, 'b.txt', 'b');
  await first.lock.release();
  const second = await place(path, named('work'));
  expect(second).toMatchObject({ path: first.path, isReused: true, wasDirty: false, baseSha: made });
  expect(await removeWorktree(second, CALL)).toEqual({ isRemoved: false, isDirty: false });
});

test('uses a dirty worktree again with a warning that names the files', async () => {
  const path = newRepository();
  const first = await place(path, named('work'));
  writeIn(first.path, 'half done.txt', 'x');
  await first.lock.release();
  const warnings: string[] = [];
  expect(await place(path, named('work'), warnings)).toMatchObject({ isReused: true, wasDirty: true });
  expect(warnings).toEqual([expect.stringContaining('`half done.txt`')]);
});

test('uses a worktree whose HEAD was detached as it is, with a warning', async () => {
  const path = newRepository();
  const first = await place(path, named('work'));
  plainGit(first.path, 'checkout', '--quiet', '--detach');
  const tip = commit(first.path, 'b.txt', 'b');
  await first.lock.release();
  const warnings: string[] = [];
  expect(await place(path, named('work'), warnings)).toMatchObject({ isReused: true, baseSha: tip });
  expect(warnings).toEqual([expect.stringContaining('its HEAD is not on `work`')]);
});

async function clonedWithWork(): Promise<{ origin: string; path: string; first: LockedWorktree }> {
  const origin = newRepository('origin');
  plainGit(origin, 'branch', 'work');
  const path = join(temporaryFolder(), 'clone');
  plainGit(origin, 'clone', '--quiet', origin, path);
  plainGit(path, 'config', 'user.name', 'Test');
  plainGit(path, 'config', 'user.email', 'test@localhost');
  const first = await place(path, named('work'));
  await first.lock.release();
  plainGit(origin, 'checkout', '--quiet', 'work');
  return { origin, path, first };
}

test('brings a clean worktree up to origin', async () => {
  const { origin, path } = await clonedWithWork();
  const tip = commit(origin, 'b.txt', 'b');
  const second = await place(path, named('work'));
  expect(second.baseSha).toBe(tip);
  expect(readFileSync(join(second.path, 'b.txt'), 'utf8')).toBe('b');
});

test('brings a branch without a worktree up to origin', async () => {
  const { origin, path, first } = await clonedWithWork();
  plainGit(path, 'worktree', 'remove', '--force', '--force', first.path);
  const tip = commit(origin, 'b.txt', 'b');
  const second = await place(path, named('work'));
  expect(second).toMatchObject({ baseSha: tip, isReused: false, isNewBranch: false });
  expect(readFileSync(join(second.path, 'b.txt'), 'utf8')).toBe('b');
});

test('leaves a worktree that diverged from origin, or a dirty one, where it is', async () => {
  const { origin, path, first } = await clonedWithWork();
  commit(origin, 'b.txt', 'theirs');
  const own = commit(first.path, 'b.txt', 'ours');
  const warnings: string[] = [];
  const second = await place(path, named('work'), warnings);
  expect(second.baseSha).toBe(own);
  expect(warnings).toEqual([expect.stringContaining('not fast-forwarded')]);
  await second.lock.release();
  writeIn(first.path, 'dirt', 'x');
  expect((await place(path, named('work'))).baseSha).toBe(own);
});

test('continues with a warning when origin does not respond', async () => {
  const { origin, path, first } = await clonedWithWork();
  rmSync(origin, { recursive: true });
  const warnings: string[] = [];
  expect((await place(path, named('work'), warnings)).baseSha).toBe(first.baseSha);
  expect(warnings).toEqual([expect.stringContaining('git fetch origin work')]);
});

test('makes the worktree anew when its folder was deleted', async () => {
  const path = newRepository();
  const first = await place(path, named('work'));
  await first.lock.release();
  rmSync(first.path, { recursive: true });
  expect(await place(path, named('work'))).toMatchObject({ path: first.path, isReused: false });
});

test('leaves a folder that is in the way, and takes another', async () => {
  const path = newRepository();
  const first = await place(path, named('work'));
  await first.lock.release();
  plainGit(path, 'worktree', 'remove', first.path);
  writeIn(first.path, 'precious.txt', 'x');
  const second = await place(path, named('work'));
  expect(second.path).toBe(`${first.path}-2`);
  expect(readFileSync(join(first.path, 'precious.txt'), 'utf8')).toBe('x');
});

test('cannot be pruned from where its path is not seen', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const gitFile = readFileSync(join(worktree.gitDir, 'gitdir'), 'utf8');
  writeFileSync(join(worktree.gitDir, 'gitdir'), '/not/seen/.git\n');
  plainGit(path, 'worktree', 'prune', '--expire=now');
  writeFileSync(join(worktree.gitDir, 'gitdir'), gitFile);
  expect(plainGit(worktree.path, 'rev-parse', 'HEAD')).toBe(worktree.baseSha);
});

test('prunes worktrees of ours whose folder is gone, and no others', async () => {
  const path = newRepository();
  const [gone, busy, there] = [
    await place(path, named('gone')),
    await place(path, named('busy')),
    await place(path, named('there')),
  ];
  const foreign = join(temporaryFolder(), 'foreign');
  plainGit(path, 'worktree', 'add', '--quiet', '-b', 'foreign', foreign);
  await gone.lock.release();
  await there.lock.release();
  for (const folder of [gone.path, busy.path, foreign]) rmSync(folder, { recursive: true });
  expect(await pruneWorktrees(await open(path), CALL)).toEqual([gone.path]);
  expect([gone, busy, there].map(({ gitDir }) => existsSync(gitDir))).toEqual([false, true, true]);
  expect(existsSync(join(path, '.git', 'worktrees', 'foreign'))).toBe(true);
});

test('never touches the user’s global configuration or tracked files', async () => {
  const path = newRepository();
  const home = temporaryFolder();
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  try {
    const worktree = await place(path);
    await removeWorktree(worktree, CALL);
  } finally {
    process.env['HOME'] = before;
  }
  expect(existsSync(join(home, '.gitconfig'))).toBe(false);
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
});

test('copies files and folders that git ignores, and reports missing ones', async () => {
  const path = newRepository();
  commit(path, '.gitignore', '.env\nnode_modules\n');
  writeIn(path, '.env', 'A=1');
  writeIn(path, 'node_modules/deep/x.js', '1');
  symlinkSync('deep/x.js', join(path, 'node_modules', 'link.js'));
  const worktree = await place(path);
  const outcome = await copyToWorktree(worktree, ['.env', 'node_modules', 'none.txt'], CALL);
  expect(outcome).toEqual({ copied: ['.env', 'node_modules'], missing: ['none.txt'], blocked: [] });
  expect(readFileSync(join(worktree.path, 'node_modules', 'link.js'), 'utf8')).toBe('1');
  expect(await dirty(worktree)).toBe(false);
});

test.each(['../x', '/etc/passwd', '.', '', '.git/config', 'a/../../x'])(
  'refuses to copy %j',
  async (outside) => {
    const worktree = await place(newRepository());
    await expect(copyToWorktree(worktree, [outside], CALL)).rejects.toMatchObject({ code: 'invalid-option' });
  },
);

test('does not copy through a symbolic link that an agent left', async () => {
  const path = newRepository();
  const outside = temporaryFolder();
  writeIn(path, 'conf/secret', 'x');
  writeIn(path, 'file', 'x');
  writeIn(path, 'tree/link', 'x');
  const worktree = await place(path, named('work'));
  symlinkSync(outside, join(worktree.path, 'conf'));
  symlinkSync(join(outside, 'file'), join(worktree.path, 'file'));
  mkdirSync(join(worktree.path, 'tree'));
  symlinkSync(join(outside, 'link'), join(worktree.path, 'tree', 'link'));
  const outcome = await copyToWorktree(worktree, ['conf/secret', 'file', 'tree'], CALL);
  expect(outcome.blocked).toEqual(['conf/secret', 'file', join(worktree.path, 'tree', 'link')]);
  expect(['secret', 'file', 'link'].map((name) => existsSync(join(outside, name)))).toEqual([
    false,
    false,
    false,
  ]);
});
