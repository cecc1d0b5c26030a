/** Tests of the archive of folders, as the machine's tar reads it. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { folderArchive } from './folder-archive.ts';

const list = (archive: Uint8Array): string[] =>
  execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--file', '-'], { input: archive })
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +0 1970.* /u, ' '));

it('is an archive of folders with their owner and mode', () => {
  expect(list(folderArchive(['/home/agent', '/home/agent/.cache'], { uid: 1234, gid: 56 }))).toEqual([
    'drwxr-xr-x 1234/56 home/agent/',
    'drwxr-xr-x 1234/56 home/agent/.cache/',
  ]);
});

it.each([90, 99, 100, 101, 600])('keeps a path of %d characters whole', (length) => {
  const path = `/${'x'.repeat(length - 1)}`;
  expect(list(folderArchive([path], { uid: 1, gid: 1 }))).toEqual([`drwxr-xr-x 1/1 ${path.slice(1)}/`]);
});

it('keeps ids that seven octal digits cannot hold', () => {
  expect(list(folderArchive(['/a'], { uid: 1_000_000_000, gid: 2_097_152 }))).toEqual([
    'drwxr-xr-x 1000000000/2097152 a/',
  ]);
});
