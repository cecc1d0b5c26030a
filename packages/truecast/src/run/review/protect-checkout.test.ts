import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRepository } from '../../../../../test/run/fixture.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { SensitiveFile } from './find-sensitive-files.ts';
import { protectCheckout } from './protect-checkout.ts';

it('leaves nothing behind when it fails halfway', async () => {
  const path = makeRepository();
  const before = readdirSync(path);
  const file: SensitiveFile = {
    path: 'x'.repeat(300),
    kind: 'file',
    reason: 'configured-program',
    runsAt: 'git',
    parts: [],
  };
  const worktree = { path, commonDir: join(path, '.git') } as LockedWorktree;
  await expect(
    protectCheckout({ worktree, files: [file], editablePaths: [], isOnHost: true }),
  ).rejects.toThrow(/ENAMETOOLONG/u);
  expect(readdirSync(path)).toEqual(before);
  expect(readdirSync(join(path, '.git/truecast/placeholders'))).toEqual([]);
});
