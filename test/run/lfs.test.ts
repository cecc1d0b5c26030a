/**
 * git-lfs with a guest: the user's objects are restored, and the host contacts no address of the
 * guest.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mergeToHead } from '../../packages/truecast/src/git/worktree/merge.ts';
import { CALL, place } from '../../packages/truecast/src/git/test-repository.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions } from './fixture.ts';
import { describeUnless, missing } from '../needs.ts';

let server: Server;
let url: string;
const requests: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
});
afterAll(() => {
  server.close();
});

const LFS = {
  clean: 'git-lfs clean -- %f',
  smudge: 'git-lfs smudge -- %f',
  process: 'git-lfs filter-process',
  required: 'true',
};
const SANDBOX = bubblewrap({ egress: 'none' });
/** A pointer whose id contains the data that the guest wants to send. */
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'5ec2e7'.repeat(10)}abcd\nsize 12\n`;

function makeLfsRepository(): string {
  const cwd = makeRepository();
  for (const [key, value] of Object.entries(LFS)) git(cwd, 'config', `filter.lfs.${key}`, value);
  writeFileSync(join(cwd, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  writeFileSync(join(cwd, 'a.bin'), 'large content\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'large');
  return cwd;
}

describeUnless(missing('git-lfs'), 'git-lfs', () => {
  it("merges a guest's pointer and `.lfsconfig` without a connection", async () => {
    const cwd = makeLfsRepository();
    const worktree = await place(cwd);
    writeFileSync(join(worktree.path, '.lfsconfig'), `[lfs]\n\turl = ${url}\n`);
    writeFileSync(join(worktree.path, 'b.bin'), POINTER);
    const neutral = [
      '-c',
      'filter.lfs.process=',
      '-c',
      'filter.lfs.clean=',
      '-c',
      'filter.lfs.required=false',
    ];
    git(worktree.path, ...neutral, 'add', '-A');
    git(worktree.path, ...neutral, 'commit', '-q', '-m', 'pointer');
    const merged = await mergeToHead({ worktree, now: new Date(), onWarning: () => undefined, ...CALL });
    await worktree.lock.release();
    expect(merged.isMerged).toBe(true);
    expect(readFileSync(join(cwd, 'b.bin'), 'utf8')).toBe(POINTER);
    expect(requests).toEqual([]);
  });

  describeInBubblewrap('in bubblewrap', () => {
    it('restores the objects of the user in a new worktree', async () => {
      const cwd = makeLfsRepository();
      const result = await run(
        runOptions('cat a.bin; git status --porcelain', {
          cwd,
          sandbox: SANDBOX,
          branchStrategy: { type: 'merge-to-head' },
        }),
      );
      expect(result.stdout).toBe('large content\n');
      expect(result.warnings).toEqual([]);
    });

    it('brings the content of a new file to the host, and restores it at the merge', async () => {
      const cwd = makeLfsRepository();
      const big = 'head -c 300000 /dev/urandom > big.bin';
      const script = `echo new > b.bin; ${big}; cp big.bin copy; git add b.bin big.bin copy; git commit -q -m new`;
      const result = await run(
        runOptions(script, { cwd, sandbox: SANDBOX, branchStrategy: { type: 'merge-to-head' } }),
      );
      expect(result.warnings).toEqual([]);
      expect(git(cwd, 'show', 'HEAD:b.bin')).toContain('oid sha256:');
      expect(readFileSync(join(cwd, 'b.bin'), 'utf8')).toBe('new\n');
      expect(readFileSync(join(cwd, 'big.bin')).equals(readFileSync(join(cwd, 'copy')))).toBe(true);
      expect(git(cwd, 'lfs', 'fsck')).toContain('OK');
      expect(readdirSync(join(cwd, '.git', 'truecast', 'guests'))).toEqual([]);
    });

    it('refuses content that does not match its hash, and keeps the store', async () => {
      const cwd = makeLfsRepository();
      const script =
        'echo new > b.bin; git add b.bin; git commit -q -m new; for f in $(git rev-parse --absolute-git-dir)/lfs/objects/*/*/*; do chmod u+w $f; echo evil > $f; done';
      const result = await run(
        runOptions(script, { cwd, sandbox: SANDBOX, branchStrategy: { type: 'branch', branch: 'work' } }),
      );
      const oid = /sha256:(\w+)/u.exec(git(cwd, 'show', 'work:b.bin'))?.[1] ?? '';
      expect(result.warnings.join()).toContain(`the content of the LFS object ${oid} does not match its id`);
      expect(git(cwd, 'lfs', 'ls-files', 'work')).toContain('- b.bin');
      expect(readdirSync(join(cwd, '.git', 'truecast', 'guests'))).toHaveLength(1);
    });

    it("sends nothing to the address of a guest's `.lfsconfig`, at the merge and in the next worktree", async () => {
      const cwd = makeLfsRepository();
      const neutral = 'git -c filter.lfs.process= -c filter.lfs.clean= -c filter.lfs.required=false';
      const script = `printf '[lfs]\\n\\turl = ${url}\\n' > .lfsconfig; printf '${POINTER.replaceAll('\n', '\\n')}' > b.bin; ${neutral} add -A && ${neutral} commit -q -m pointer`;
      const branchStrategy = { type: 'branch', branch: 'work' } as const;
      await run(runOptions(script, { cwd, sandbox: SANDBOX, branchStrategy }));
      for (const name of readdirSync(join(cwd, '.truecast/worktrees')).filter(
        (one) => one !== '.gitignore',
      )) {
        git(cwd, 'worktree', 'remove', '--force', '--force', join(cwd, '.truecast/worktrees', name));
      }
      rmSync(join(cwd, '.git/lfs/tmp'), { recursive: true, force: true });
      const again = await run(runOptions('cat b.bin', { cwd, sandbox: SANDBOX, branchStrategy }));
      expect(again.stdout).toBe(POINTER);
      await run(
        runOptions(script, { cwd, sandbox: SANDBOX, branchStrategy: { type: 'merge-to-head' } }),
      ).catch(() => undefined);
      expect(requests).toEqual([]);
      expect(readFileSync(join(cwd, 'a.bin'), 'utf8')).toBe('large content\n');
    });
  });
});
