import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
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
  const beside = temporaryFolder();
  expect(searchPathOutside(`/usr/bin:${beside}`, [folder])).toBe(`/usr/bin:${beside}`);
});

test('resolves symlinks of the folders and of the checkout', () => {
  const root = emptyRepository();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(root, link);
  mkdirSync(join(root, 'bin'));
  expect(searchPathOutside(`${link}/bin:/bin`, [root])).toBe('/bin');
  expect(searchPathOutside(`${root}/bin:/bin`, [link])).toBe('/bin');
});

test('leaves out a folder that does not exist, since a guest could create it later', () => {
  const root = emptyRepository();
  const outside = temporaryFolder();
  symlinkSync(root, join(outside, 'link'));
  symlinkSync(join(root, 'later'), join(outside, 'dangling'));
  const searchPath = [join(outside, 'link/later'), join(outside, 'dangling'), '/bin'].join(':');
  expect(searchPathOutside(searchPath, [root])).toBe('/bin');
});

test('leaves out a folder that a symlink of the checkout leads to', () => {
  const root = emptyRepository();
  const outside = temporaryFolder();
  mkdirSync(join(outside, 'programs'));
  symlinkSync(join(outside, 'programs'), join(root, 'chosen'));
  symlinkSync(join(root, 'chosen'), join(outside, 'link'));
  expect(searchPathOutside(`${outside}/link:${outside}/programs`, [root])).toBe(`${outside}/programs`);
});

test('leaves out a symlink to itself', () => {
  const outside = temporaryFolder();
  symlinkSync(join(outside, 'loop'), join(outside, 'loop'));
  expect(searchPathOutside(`${outside}/loop:/bin`, [])).toBe('/bin');
});

test("leaves out a guest's folders in every later call, and only once", () => {
  const root = emptyRepository();
  const path = `/usr/bin:${root}/bin`;
  mkdirSync(join(root, 'bin'));
  expect(hostSearchPath([], path)).toBe(path);
  guardSearchPath([root, join(root, '.truecast/worktrees/one')]);
  expect(hostSearchPath([], path)).toBe('/usr/bin');
});

test('leaves out a folder whose name is too long for the system', () => {
  expect(searchPathOutside(`/${'x'.repeat(300)}:/bin`, [])).toBe('/bin');
});

test('asks for the folders of the path alone, however many repositories are guarded', () => {
  const asked: string[] = [];
  const more = { has: (path: string): boolean => asked.push(path) === 0 };
  expect(searchPathOutside('/usr/bin', [], more)).toBe('/usr/bin');
  expect(new Set(asked)).toEqual(new Set(['/usr/bin', '/usr', '/']));
});

test('leaves out folders below a root that is not written in its shortest form', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  expect(searchPathOutside(`${folder}/bin:/bin`, [`${folder}/../${basename(folder)}/`])).toBe('/bin');
});
