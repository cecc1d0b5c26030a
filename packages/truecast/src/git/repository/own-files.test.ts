import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { CALL, cleanUp, newRepository, open, plainGit, temporaryFolder } from '../test-repository.ts';
import { ensureOwnFiles } from './own-files.ts';

afterEach(cleanUp);

/** Creates a worktree in which git works on the files of the main checkout. */
function elsewhere(): { readonly main: string; readonly path: string; readonly gitDir: string } {
  const main = newRepository();
  const path = join(temporaryFolder(), 'linked');
  plainGit(main, 'worktree', 'add', '--quiet', '-b', 'topic', path);
  plainGit(main, 'config', 'extensions.worktreeConfig', 'true');
  plainGit(main, 'config', 'core.worktree', main);
  expect(plainGit(path, 'rev-parse', '--show-toplevel')).toBe(main);
  return { main, path, gitDir: join(main, '.git', 'worktrees', 'linked') };
}

test('git in a worktree is led back to its own files', async () => {
  const { main, ...worktree } = elsewhere();
  await ensureOwnFiles(worktree, { repository: await open(main), ...CALL });
  expect(plainGit(worktree.path, 'rev-parse', '--show-toplevel')).toBe(worktree.path);
});

test('a worktree is refused if git in it still works on other files', async () => {
  const { main, ...worktree } = elsewhere();
  // As of another git that writes this file: the setting cannot be written.
  writeFileSync(join(worktree.gitDir, 'config.worktree.lock'), '');
  await expect(ensureOwnFiles(worktree, { repository: await open(main), ...CALL })).rejects.toMatchObject({
    code: 'unsafe-path',
    message: expect.stringContaining(`works on the files of \`${main}\``) as unknown,
  });
  expect(readFileSync(join(worktree.gitDir, 'config.worktree'), 'utf8')).toBe('');
});
