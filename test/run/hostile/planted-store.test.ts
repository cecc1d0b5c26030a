/** Records of guests' stores that an agent has planted: they mount nothing outside of the repository. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listStores } from '../../../packages/truecast/src/guest-git/guest-git.ts';
import { layOutStore } from '../../../packages/truecast/src/guest-git/store/lay-out-store.ts';
import { makeRepository, temporaryFolder } from '../fixture.ts';

it.each([
  ['its objects are in another folder', (other: string) => ({ objectFolders: [other] }), 1],
  ['its git directory is elsewhere', (other: string) => ({ gitDir: other }), 0],
  ['its repository is elsewhere', (other: string) => ({ commonDir: other }), 0],
  ['it has the id of another store', () => ({ id: 'other' }), 0],
  ['its branch is several commands', () => ({ branch: 'refs/heads/a\ndelete refs/heads/main' }), 0],
  ['its commit is no id', () => ({ baseSha: '--all' }), 0],
] as const)('a record where %s is not followed', async (_what, changes, count) => {
  const path = makeRepository();
  const commonDir = join(path, '.git');
  const places = { worktreePath: path, gitDir: commonDir, commonDir };
  const { store } = await layOutStore({ ...places, hasOtherOwner: false, timeoutMs: 30_000 });
  expect(listStores(commonDir)).toEqual([store]);
  const { folder, ...record } = store;
  const other = temporaryFolder();
  mkdirSync(join(other, 'objects'));
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...record, ...changes(other) }));
  const stores = listStores(commonDir);
  expect(stores).toHaveLength(count);
  for (const { objectFolders } of stores) expect(objectFolders).toEqual([join(commonDir, 'objects')]);
});
