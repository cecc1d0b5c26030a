/** Undo of checkouts that git has started and not finished. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { git } from '../command/git.ts';
import { CALL, cleanUp, newRepository, plainGit, temporaryFolder, writeIn } from '../test-repository.ts';
import { undoCheckout } from './undo-checkout.ts';

afterEach(cleanUp);

const TOO_LONG = 'x'.repeat(300);

/** Creates a checkout, and a commit that changes every kind of entry and cannot be checked out. */
function prepare(): { readonly path: string; readonly from: string; readonly to: string } {
  const path = newRepository();
  for (const name of ['changed', 'deleted', 'to-folder', 'from-folder/file', 'mine']) {
    writeIn(path, name, `${name}\n`);
  }
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '-q', '-m', 'base');
  const from = plainGit(path, 'rev-parse', 'HEAD');
  for (const name of ['deleted', 'to-folder', 'from-folder']) rmSync(join(path, name), { recursive: true });
  for (const name of ['changed', 'to-folder/new', 'from-folder', 'deep/er/added', 'zz']) {
    writeIn(path, name, 'new\n');
  }
  symlinkSync('changed', join(path, 'link'));
  plainGit(path, 'add', '-A');
  const blob = plainGit(path, 'rev-parse', ':zz');
  plainGit(path, 'update-index', '--add', '--cacheinfo', `100644,${blob},deep/${TOO_LONG}`);
  const to = plainGit(path, 'commit-tree', '-m', 'to', '-p', from, plainGit(path, 'write-tree'));
  plainGit(path, 'reset', '-q', '--hard');
  plainGit(path, 'clean', '-qffdx');
  return { path, from, to };
}

test('restores what git has deleted and changed, and removes what it has added', async () => {
  const { path, from, to } = prepare();
  writeIn(path, 'mine', 'not committed\n');
  writeIn(path, 'untracked', 'mine too\n');
  const before = plainGit(path, 'status', '--porcelain');
  const call = { ...CALL, cwd: path };
  const merged = await git(['merge', '--quiet', '--ff-only', to], call);
  expect(merged.stderr).toContain('File name too long');
  expect(plainGit(path, 'status', '--porcelain')).not.toBe(before);
  await undoCheckout({ topLevel: path, from, to, stderr: merged.stderr }, call);
  expect(plainGit(path, 'status', '--porcelain')).toBe(before);
  expect(readFileSync(join(path, 'mine'), 'utf8')).toBe('not committed\n');
  expect(existsSync(join(path, 'deep'))).toBe(false);
});

test('leaves files of the user with other content, and everything behind a link', async () => {
  const { path, from, to } = prepare();
  const elsewhere = temporaryFolder();
  mkdirSync(join(elsewhere, 'er'));
  writeFileSync(join(elsewhere, 'er/added'), 'new\n');
  symlinkSync(elsewhere, join(path, 'deep'));
  writeIn(path, 'changed', 'mine\n');
  writeIn(path, 'zz', 'mine\n');
  await undoCheckout({ topLevel: path, from, to, stderr: '' }, { ...CALL, cwd: path });
  expect(plainGit(path, 'status', '--porcelain')).toBe(' M changed\n?? deep\n?? zz');
  expect(existsSync(join(elsewhere, 'er/added'))).toBe(true);
});
