import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeTree } from './temporary-folder.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'remove-tree-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function makeTree(files: number): string {
  const tree = join(root, 'tree');
  mkdirSync(join(tree, 'deep', 'folder'), { recursive: true });
  for (let index = 0; index < files; index += 1) writeFileSync(join(tree, 'deep', `file-${index}`), '');
  return tree;
}

test.each([0, 3, 250])('removes a tree of %i files, and nothing behind a link in it', async (files) => {
  const tree = makeTree(files);
  const kept = join(root, 'kept');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), '');
  symlinkSync(kept, join(tree, 'deep', 'link'));
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(existsSync(join(kept, 'file'))).toBe(true);
});

test('does nothing without a folder', async () => {
  await expect(removeTree(join(root, 'missing'))).resolves.toBeUndefined();
});
