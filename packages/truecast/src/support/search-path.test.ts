import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { guardSearchPath, hostSearchPath, searchPathOutside } from './search-path.ts';
import { cleanUp, emptyRepository, temporaryFolder } from '../git/test-repository.ts';

afterEach(cleanUp);

test('leaves out relative folders and folders of the checkout, from any folder in it', () => {
  const root = emptyRepository();
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  const searchPath = ['/usr/bin', '', 'bin', join(root, 'node_modules/.bin'), root, '/bin'].join(':');
  expect(searchPathOutside(searchPath, [join(root, 'deep/er')])).toBe('/usr/bin:/bin');
});

test('keeps every absolute folder outside of a repository', () => {
  const folder = temporaryFolder();
  expect(searchPathOutside(`/usr/bin:${join(folder, '..', 'bin')}`, [folder])).toBe(
    `/usr/bin:${join(folder, '..', 'bin')}`,
  );
});

test('resolves symlinks of the folders and of the checkout', () => {
  const root = emptyRepository();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(root, link);
  mkdirSync(join(root, 'bin'));
  expect(searchPathOutside(`${link}/bin:/bin`, [root])).toBe('/bin');
  expect(searchPathOutside(`${root}/bin:/bin`, [link])).toBe('/bin');
});

test("leaves out a guest's folders in every later call, and only once", () => {
  const root = emptyRepository();
  const path = `/usr/bin:${root}/bin`;
  expect(hostSearchPath([], path)).toBe(path);
  guardSearchPath([root, join(root, '.truecast/worktrees/one')]);
  expect(hostSearchPath([], path)).toBe('/usr/bin');
});
