/** Tests of the hand-over from a guest's git store: kills at every step, hostile streams, conflicts with the user. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { openRepository } from '../../packages/truecast/src/git/repository/repository.ts';
import {
  HAND_OVER_LIMITS,
  handOver,
  type HandOverLimits,
} from '../../packages/truecast/src/guest-git/hand-over.ts';
import { layOutStore } from '../../packages/truecast/src/guest-git/store/lay-out-store.ts';
import { recoverGuests } from '../../packages/truecast/src/run/places/recover-guests.ts';
import { spawnStream } from '../../packages/truecast/src/process/spawn-stream.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import type { OwnGitHandle } from '../../packages/truecast/src/ports/own-git.ts';
import { deltaBomb } from './delta-bomb.ts';
import { matrixColumns } from '../matrix.ts';
import { git, makeRepository } from './fixture.ts';

const HOST = await bundledHost(new URL('guest-git-host.ts', import.meta.url));
const WORK =
  'echo w > work; git add work; git commit -q -m work; echo s > staged; git add staged; echo c >> work; git branch side; echo u > untracked';
const STATUS = 'A  staged\n M work\n?? untracked';

function storesOf(path: string): readonly string[] {
  const folder = join(path, '.git', 'truecast', 'guests');
  return existsSync(folder) ? readdirSync(folder) : [];
}

function addWorktree(path: string): { readonly worktreePath: string; readonly gitDir: string } {
  const worktreePath = join(path, '.truecast', 'worktrees', 'w');
  git(path, 'worktree', 'add', '-q', '-b', 'run', worktreePath);
  return { worktreePath, gitDir: git(worktreePath, 'rev-parse', '--absolute-git-dir') };
}

describeInBubblewrap('a killed run', () => {
  const POINTS = ['laid-out', 'working', 'received', 'admitted', 'moved', 'indexed', 'recorded'];
  it.each(matrixColumns(0, POINTS, { rows: 2 }))(
    'loses nothing when it was killed at the point `%s`',
    async (point) => {
      const path = makeRepository();
      writeFileSync(join(path, '.git', 'info', 'exclude'), '.truecast\nready\n');
      const { worktreePath, gitDir } = addWorktree(path);
      const child = spawn(process.execPath, [HOST, path, worktreePath, gitDir, point, WORK], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      expect(storesOf(path)).toHaveLength(1);
      const warnings: string[] = [];
      const repository = await openRepository(path, { timeoutMs: 30_000 });
      await recoverGuests({
        repository,
        sandbox: bubblewrap(),
        signal: new AbortController().signal,
        warn: (message) => warnings.push(message),
      });
      const isWorked = point !== 'laid-out';
      expect(git(path, 'log', '-1', '--format=%s', 'run')).toBe(isWorked ? 'work' : 'begin');
      expect(git(worktreePath, 'status', '--porcelain')).toBe(isWorked ? STATUS : '');
      expect(git(path, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
      expect(git(path, 'for-each-ref', '--format=%(refname)', 'refs/heads')).toBe(
        'refs/heads/main\nrefs/heads/run',
      );
      expect(storesOf(path)).toEqual([]);
    },
  );
});

it('removes a store that a kill left half laid out, and keeps one that is being laid out', async () => {
  const path = makeRepository();
  for (const name of ['old', 'new']) {
    mkdirSync(join(path, '.git', 'truecast', 'guests', name, 'git'), { recursive: true });
  }
  utimesSync(join(path, '.git', 'truecast', 'guests', 'old'), 1, 1);
  const repository = await openRepository(path, { timeoutMs: 30_000 });
  const { signal } = new AbortController();
  await recoverGuests({ repository, sandbox: bubblewrap(), signal, warn: () => undefined });
  expect(storesOf(path)).toEqual(['new']);
});

describeInBubblewrap('the checkout of the user', () => {
  async function withSandbox(path: string, work: (handle: OwnGitHandle) => Promise<void>): Promise<void> {
    const commonDir = join(path, '.git');
    const handle = await bubblewrap({ egress: 'none' }).create({
      worktreePath: path,
      hostRepoPath: path,
      mounts: [],
      env: {},
      git: { gitDir: commonDir, commonDir },
    });
    try {
      await work(handle);
    } finally {
      await handle.close();
    }
  }

  it.each([
    ['staged', (path: string) => git(path, 'add', 'mine')],
    ['committed', (path: string) => git(path, 'commit', '-q', '-m', 'mine', 'a.txt')],
  ] as const)('stays as it is when the user %s something meanwhile', async (_what, act) => {
    const path = makeRepository();
    await withSandbox(path, async (handle) => {
      await handle.exec('echo w > work; git add work; git commit -q -m work');
      writeFileSync(join(path, 'mine'), 'mine\n');
      writeFileSync(join(path, 'a.txt'), 'two\n');
      act(path);
      const [head, index] = [git(path, 'rev-parse', 'HEAD'), git(path, 'ls-files', '--stage')];
      const handed = await handle.handOver?.();
      expect([git(path, 'rev-parse', 'HEAD'), git(path, 'ls-files', '--stage')]).toEqual([head, index]);
      const ref = handed?.recovered[0]?.ref ?? '';
      expect(git(path, 'log', '-1', '--format=%s', ref)).toBe('work');
      expect(handed?.warnings.join('\n')).toContain(`git merge ${ref}`);
      // The command in the message merges everything.
      git(path, 'add', '-A');
      git(path, 'stash', '-q');
      git(path, 'merge', '-q', '--no-edit', ref);
      git(path, 'stash', 'pop', '-q');
      expect(git(path, 'show', 'HEAD:work')).toBe('w');
      expect(readdirSync(path)).toEqual(expect.arrayContaining(['a.txt', 'mine', 'work']));
    });
  });

  it('takes commits over when `git status` has only rewritten the index', async () => {
    const path = makeRepository();
    await withSandbox(path, async (handle) => {
      await handle.exec('echo w > work; git add work; git commit -q -m work');
      const before = readFileSync(join(path, '.git/index'));
      utimesSync(join(path, 'a.txt'), 1, 1);
      git(path, 'status', '--porcelain');
      expect(readFileSync(join(path, '.git/index')).equals(before)).toBe(false);
      const handed = await handle.handOver?.();
      expect(handed).toMatchObject({ recovered: [], warnings: [] });
      expect(git(path, 'show', 'HEAD:work')).toBe('w');
      expect(git(path, 'status', '--porcelain')).toBe('');
    });
  });

  it('does not get a repository inside it staged, whose configuration its next `git status` would obey', async () => {
    const path = makeRepository();
    const marker = join(path, '..', 'escaped');
    await withSandbox(path, async (handle) => {
      await handle.exec(
        `git init -q sub; git -C sub commit -q --allow-empty -m s; git -C sub config core.fsmonitor "touch '${marker}'"; git add sub; echo w > work; git add work`,
      );
      const handed = await handle.handOver?.();
      expect(handed?.warnings.join('\n')).toContain('not staged on the host: `sub`.');
      expect(git(path, 'diff', '--cached', '--name-only')).toBe('work');
      git(path, 'status', '--porcelain');
      expect(existsSync(marker)).toBe(false);
    });
  });

  it('shows the repository of a submodule without the credentials of its configuration', async () => {
    const path = makeRepository();
    const origin = makeRepository();
    git(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'libs/sub');
    git(path, 'commit', '-q', '-m', 'sub');
    const config = join(path, '.git', 'modules', 'libs', 'sub', 'config');
    git(path, 'config', '--file', config, 'http.extraheader', 'AUTHORIZATION: hunter2-secret');
    git(path, 'config', '--file', config, 'remote.origin.url', 'https://x:hunter2-secret@example.invalid/a');
    await withSandbox(path, async (handle) => {
      // A write on the host replaces the file, and must not uncover it inside.
      git(path, 'config', '--file', config, 'http.proxy', 'http://x:hunter2-secret@localhost');
      const { stdout } = await handle.exec(
        'git status --short; git -C libs/sub log --format=%s; git -C libs/sub config --list; git -C libs/sub commit --allow-empty -m x 2>&1; grep -rs hunter2 .git',
      );
      expect(stdout).toMatch(/^begin\n/u);
      expect(stdout).toContain('remote.origin.url=https://example.invalid/a');
      expect(stdout).toContain('Read-only file system');
      expect(stdout).not.toContain('hunter2');
      await handle.handOver?.();
    });
    expect(git(path, 'status', '--porcelain')).toBe('');
    expect(storesOf(path)).toEqual([]);
  });

  it('runs nothing on the host at `git status` while the agent works in a nested repository', async () => {
    const path = makeRepository();
    const marker = join(path, '..', 'escaped-meanwhile');
    await withSandbox(path, async (handle) => {
      const working = handle.exec(
        `git init -q sub; git -C sub commit -q --allow-empty -m s; git -C sub config core.fsmonitor "touch '${marker}'"; git add sub; git status --short; touch staged; while [ ! -e go ]; do sleep 0.05; done`,
      );
      while (!existsSync(join(path, 'staged'))) await sleep(10);
      git(path, 'status', '--porcelain');
      git(path, 'diff', '--submodule=diff');
      writeFileSync(join(path, 'go'), '');
      expect((await working).stdout).toContain('A  sub');
      expect(existsSync(marker)).toBe(false);
    });
  });

  it('can continue a merge that the agent left unfinished, and never has it on the host', async () => {
    const path = makeRepository();
    git(path, 'checkout', '-q', '-b', 'other');
    writeFileSync(join(path, 'a.txt'), 'other\n');
    git(path, 'commit', '-q', '-a', '-m', 'other');
    git(path, 'checkout', '-q', 'main');
    await withSandbox(path, async (handle) => {
      await handle.exec('echo mine > a.txt; git commit -q -a -m mine; git merge other');
      const handed = await handle.handOver?.();
      expect(handed?.warnings.join('\n')).toContain('unfinished');
    });
    expect(existsSync(join(path, '.git', 'MERGE_HEAD'))).toBe(false);
    await withSandbox(path, async (handle) => {
      await handle.exec('echo both > a.txt; git add a.txt; git commit -q --no-edit');
      await handle.handOver?.();
    });
    expect(git(path, 'log', '-1', '--format=%p').split(' ')).toHaveLength(2);
    expect(storesOf(path)).toEqual([]);
  });
});

describe('a hostile stream', () => {
  const EMPTY_STATE = `printf 'head ref: refs/heads/main\\nindex \\n'`;
  const LIMITS: HandOverLimits = { ...HAND_OVER_LIMITS, timeoutMs: 20_000 };

  async function handOverFrom(
    path: string,
    script: string,
    limits: Partial<HandOverLimits>,
  ): Promise<unknown> {
    const commonDir = join(path, '.git');
    const options = {
      worktreePath: path,
      gitDir: commonDir,
      commonDir,
      hasOtherOwner: false,
      timeoutMs: 20_000,
    };
    const { store } = await layOutStore(options);
    const env = { PATH: process.env['PATH'] ?? '', HOME: path };
    const open = (): ReturnType<typeof spawnStream> =>
      spawnStream({ file: 'sh', args: ['-c', `cd '${path}'; ${script}`], env });
    const outcome = await handOver(store, open, { ...LIMITS, ...limits }).catch((error: unknown) => error);
    expect(existsSync(store.folder)).toBe(true);
    return outcome;
  }

  const EMPTY_PACK = 'echo; echo pack; git pack-objects --stdout -q < /dev/null';
  const zeros = `id=$(head -c 3000000 /dev/zero | git --git-dir=elsewhere hash-object -w --stdin)`;

  it.each([
    ['endless text', 'yes', { maxTextBytes: 100_000 }, 'text is longer than 100000 bytes'],
    ['silence', 'sleep 30', { timeoutMs: 300 }, 'did not end within 300 ms'],
    ['what is no pack', `${EMPTY_STATE}; echo pack; head -c 100 /dev/zero`, {}, 'it sent no pack'],
    [
      'an endless pack',
      `${EMPTY_STATE}; echo pack; printf 'PACK\\0\\0\\0\\2\\0\\0\\0\\1'; cat /dev/zero`,
      { maxPackBytes: 200_000 },
      'git rejected one of its objects|pack is larger than 200000 bytes',
    ],
    [
      'a cut pack',
      `${EMPTY_STATE}; echo pack; git pack-objects --all --stdout -q | head -c 60`,
      {},
      'git rejected',
    ],
    [
      'a commit that is not sent',
      `printf 'head ref: refs/heads/main\\n%040d HEAD\\nindex ' 7; ${EMPTY_PACK}`,
      {},
      'one of its objects is missing',
    ],
    [
      'a tree with `.git` in it',
      `git init -q --bare elsewhere; export GIT_DIR=elsewhere; b=$(echo x | git hash-object -w --stdin); t=$(printf '100644 blob %s\\tx\\n' $b | git mktree); t=$(printf '040000 tree %s\\t.git\\n' $t | git mktree); printf 'head x\\nindex %s\\n' $t; echo pack; printf '%s\\n%s\\n' $t $b | git pack-objects --stdout -q`,
      {},
      'git rejected one of its objects',
    ],
    [
      'a small pack that inflates to a large object',
      `git init -q --bare elsewhere; ${zeros}; printf 'head x\\nindex\\nstash %s\\npack\\n' $id; echo $id | git --git-dir=elsewhere pack-objects --stdout -q`,
      { maxInflatedBytes: 1_000_000 },
      'bytes when inflated',
    ],
    [
      'more references than a run may change',
      `i=0; while [ $i -lt 1001 ]; do printf '%040d refs/heads/r%d\\n' 1 $i; i=$((i+1)); done; ${EMPTY_PACK}`,
      {},
      'more than 1000 references',
    ],
  ] as const)('of %s is refused, and changes nothing', async (_what, script, limits, message) => {
    const path = makeRepository();
    const before = git(path, 'for-each-ref');
    const error = await handOverFrom(path, script, limits);
    expect(error).toMatchObject({ code: 'sync', message: expect.stringMatching(message) as unknown });
    expect((error as Error).message).toContain('do not run git in it');
    rmSync(join(path, 'elsewhere'), { recursive: true, force: true });
    expect(git(path, 'for-each-ref')).toBe(before);
    expect(git(path, 'count-objects')).toMatch(/^3 objects/u);
    expect(git(path, 'fsck', '--full', '--strict')).toBe('');
  });

  it.each([
    ['unpack-objects', 0],
    ['index-pack', 100],
  ])('with a delta of 10 GB is refused before `%s` builds it in memory', async (_program, blobs) => {
    const path = makeRepository();
    const pack = join(path, 'pack');
    writeFileSync(pack, deltaBomb({ copies: 600, blobs }));
    expect(statSync(pack).size).toBeLessThan(32_000);
    const error = await handOverFrom(path, `${EMPTY_STATE}; echo; echo pack; cat pack`, {});
    expect(error).toMatchObject({
      code: 'sync',
      message: expect.stringContaining('git rejected') as unknown,
      stderrTail: expect.stringContaining('Out of memory') as unknown,
    });
    expect(git(path, 'count-objects')).toMatch(/^3 objects/u);
  });

  it('cannot name a reference that git would not accept, nor one outside of the recovered ones', async () => {
    const path = makeRepository();
    const id = git(path, 'commit-tree', '-m', 'evil', 'HEAD^{tree}');
    const names = [
      'refs/heads/../../config',
      'refs/heads/a b',
      'refs/heads/x.lock',
      'HEAD/../x',
      'refs/heads/ok',
    ];
    const lines = names.map((name) => `echo '${id} ${name}'`).join('; ');
    const outcome = await handOverFrom(path, `${EMPTY_STATE}; ${lines}; ${EMPTY_PACK}`, {});
    expect(outcome).toMatchObject({ recovered: [{ sha: id, from: 'refs/heads/ok' }] });
    expect(git(path, 'for-each-ref', '--format=%(refname)')).toMatch(
      /^refs\/heads\/main\nrefs\/truecast\/recovered\/[0-9a-f]+\/heads\/ok$/u,
    );
  });
});
