import { afterEach, expect, it } from 'vitest';
import { looseReference, withoutGit } from './test-shortcuts.ts';
import { cleanUp, commit, newRepository, plainGit } from './test-repository.ts';

afterEach(cleanUp);

/** By git, which the reader does not replace with a further argument. */
const byGit = (cwd: string, name: string): string =>
  plainGit(cwd, 'rev-parse', '--verify', '--end-of-options', name);

it('reads of a reference what git says, or nothing', () => {
  const cwd = newRepository();
  plainGit(cwd, 'branch', 'other/name');
  const first = byGit(cwd, 'HEAD');
  plainGit(cwd, 'tag', 'same', first);
  commit(cwd, 'b.txt', 'two\n');
  plainGit(cwd, 'branch', 'same');
  for (const name of ['HEAD', 'main', 'other/name', 'refs/heads/same', 'same']) {
    expect(looseReference(cwd, name), name).toBe(byGit(cwd, name));
  }
  expect(looseReference(cwd, 'same')).toBe(first);
  plainGit(cwd, 'checkout', '-q', '--detach', 'HEAD~1');
  expect(looseReference(cwd, 'HEAD')).toBe(first);
  for (const name of ['main~1', 'main:a.txt', '--all', 'no-such', first, 'config', '../x', undefined]) {
    expect(looseReference(cwd, name), name).toBeUndefined();
  }
  plainGit(cwd, 'pack-refs', '--all');
  expect(looseReference(cwd, 'main')).toBeUndefined();
});

it('writes a setting as git reads it, or nothing', () => {
  const cwd = newRepository();
  const settings = [
    ['core.hooksPath', 'a b;#\\"\'\t'],
    ['filter.x.y.clean', '"sed" -e \'s/a: .*/b/\''],
    ['include.path', '../more'],
  ] as const;
  for (const [key, value] of settings) {
    expect(withoutGit(cwd, ['config', key, value]), key).toBe('');
    expect(plainGit(cwd, 'config', '--get', key)).toBe(value);
  }
  expect(withoutGit(cwd, ['config', 'core.hooksPath', 'again'])).toBeUndefined();
  for (const args of [
    ['config', 'core.pager', 'a\nb'],
    ['config', 'pager', 'a'],
    ['config', '--get', 'user.name'],
    ['status'],
  ]) {
    expect(withoutGit(cwd, args)).toBeUndefined();
  }
});
