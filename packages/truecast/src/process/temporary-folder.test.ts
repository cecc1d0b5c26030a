import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  isOfDeadProcess,
  findDeadTemporaryFolders,
  makeTemporaryFolder,
  rememberRepository,
  removeTree,
} from './temporary-folder.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'remove-tree-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
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

test('creates small folders in the folder that TMPDIR names', async () => {
  vi.stubEnv('TMPDIR', root);
  expect(dirname(await makeTemporaryFolder('test', { isSmall: true }))).toBe(root);
});

test.runIf(existsSync('/dev/shm'))('finds small folders of dead processes in memory', async () => {
  vi.stubEnv('TMPDIR', undefined);
  const path = await makeTemporaryFolder('test', { isSmall: true });
  try {
    expect(dirname(path)).toBe('/dev/shm');
    expect(await isOfDeadProcess(path, '/repo/.git')).toBe(false);
    const owner = join(path, '.truecast-owner.json');
    const { host } = JSON.parse(readFileSync(owner, 'utf8')) as { readonly host: string };
    writeFileSync(owner, JSON.stringify({ pid: 1, host, bootId: 'of an earlier boot' }));
    expect(await findDeadTemporaryFolders('/repo/.git')).toContain(path);
  } finally {
    await removeTree(path);
  }
});

test('names the repositories of its process', async () => {
  vi.stubEnv('TMPDIR', root);
  rememberRepository('/somewhere/.git');
  const path = await makeTemporaryFolder('test');
  const owner: unknown = JSON.parse(readFileSync(join(path, '.truecast-owner.json'), 'utf8'));
  // The tests of one worker share this module, so other repositories may stand beside it.
  const repositories: unknown = expect.arrayContaining(['/somewhere/.git']);
  expect(owner).toMatchObject({ pid: process.pid, repositories });
});
