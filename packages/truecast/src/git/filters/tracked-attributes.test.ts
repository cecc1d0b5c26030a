/** Tracked attribute files: found in every kind of index, and without git in most repositories. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CALL, cleanUp, newRepository, plainGit } from '../test-repository.ts';
import { listAttributeFiles } from './used-filters.ts';

afterEach(cleanUp);

function tracked(path: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), '* text\n');
  }
  plainGit(path, 'add', '-A');
}

/** With a timeout of 0, every git call fails. */
function list(path: string, timeoutMs: number = CALL.timeoutMs): Promise<readonly string[]> {
  const gitDir = join(path, '.git');
  return listAttributeFiles({ gitDir, commonDir: gitDir, workTree: path }, { timeoutMs });
}

it('starts no git if only the top folder has one', async () => {
  const path = newRepository();
  tracked(path, '.gitattributes', 'a/file', 'a/.gitattributes-not');
  expect(await list(path, 0)).toEqual([]);
});

it.each(['2', '4'])('finds those in folders, in an index of version %s', async (version) => {
  const path = newRepository();
  plainGit(path, 'config', 'index.version', version);
  // In version 4, the second name is stored as a suffix to the first.
  tracked(path, 'a/.gita', 'a/.gitattributes');
  plainGit(path, 'update-index', '--index-version', version);
  expect(await list(path)).toEqual(['a/.gitattributes']);
});

it('finds those in the shared part of a split index', async () => {
  const path = newRepository();
  tracked(path, 'a/.gitattributes');
  plainGit(path, 'update-index', '--split-index');
  tracked(path, 'z');
  expect(await list(path)).toEqual(['a/.gitattributes']);
});
