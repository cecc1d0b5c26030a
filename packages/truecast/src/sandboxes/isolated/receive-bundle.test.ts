import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { deltaBomb } from '../../../../../test/run/delta-bomb.ts';
import { cleanUp, commit, newRepository, plainGit, temporaryFolder } from '../../git/test-repository.ts';
import { CARRIER_REF } from './guest-scripts.ts';
import { openHostWorktree } from './host-worktree.ts';
import { receiveBundle } from './receive-bundle.ts';

afterEach(cleanUp);

async function failureOf(
  repository: string,
  bundlePath: string,
  maxInflatedBytes?: number,
): Promise<unknown> {
  const host = await openHostWorktree({
    worktreePath: repository,
    hostRepoPath: repository,
    mounts: [],
    env: {},
  });
  const options = { bundlePath, folder: temporaryFolder(), id: 'one', known: [] };
  const limits = maxInflatedBytes === undefined ? {} : { maxInflatedBytes };
  return receiveBundle(host, { ...options, ...limits }).then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
}

it('refuses a delta of 10 GB before git builds it in memory', async () => {
  const repository = newRepository();
  const bundlePath = join(temporaryFolder(), 'work.bundle');
  const head = Buffer.from(
    `# v2 git bundle\n${'7'.repeat(40)} refs/heads/work\n${'7'.repeat(40)} ${CARRIER_REF}\n\n`,
  );
  writeFileSync(bundlePath, Buffer.concat([head, deltaBomb({ copies: 600, blobs: 100 })]));
  expect(statSync(bundlePath).size).toBeLessThan(32_000);
  expect(await failureOf(repository, bundlePath)).toMatchObject({
    code: 'git-failed',
    stderrTail: expect.stringContaining('Out of memory') as unknown,
  });
});

it('refuses objects that are larger than the limit when inflated, and takes none of them', async () => {
  const repository = newRepository();
  const guest = temporaryFolder();
  plainGit(guest, 'clone', '-q', repository, '.');
  commit(guest, 'zeros', '0'.repeat(3_000_000));
  plainGit(guest, 'update-ref', CARRIER_REF, 'HEAD');
  const bundlePath = join(temporaryFolder(), 'work.bundle');
  plainGit(guest, 'bundle', 'create', '-q', bundlePath, 'HEAD', '--all');
  const before = plainGit(repository, 'count-objects');
  expect(await failureOf(repository, bundlePath, 1_000_000)).toMatchObject({
    code: 'sync',
    message: expect.stringContaining('when inflated') as unknown,
  });
  expect(plainGit(repository, 'count-objects')).toBe(before);
});
