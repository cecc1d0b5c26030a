/** Lets guests of bubblewrap use as much as they can, under small limits. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import {
  findParents,
  hasControlGroups,
} from '../../packages/truecast/src/sandboxes/bubblewrap/control-group.ts';
import type { SandboxHandle } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrapIsMissing, describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeUnless } from '../needs.ts';
import { makeRepository } from './fixture.ts';

const MEBIBYTE = 1024 * 1024;

describeInBubblewrap('a guest of bubblewrap', () => {
  let handle: SandboxHandle;
  beforeEach(async () => {
    const worktreePath = makeRepository();
    const limits = {
      pids: 40,
      memoryBytes: 64 * MEBIBYTE,
      temporaryBytes: MEBIBYTE,
      fileBytes: 2 * MEBIBYTE,
    };
    const created = { worktreePath, hostRepoPath: worktreePath, mounts: [], env: {} };
    handle = await bubblewrap({ egress: 'none', limits }).create(created);
  });
  afterEach(async () => handle.close());

  it('starts with one shell, which sets the limits and runs the command', async () => {
    const { stdout } = await handle.exec('tr "\\0" " " < /proc/$$/cmdline; echo "$# $?"; false');
    expect(stdout.trim()).toMatch(/^\/bin\/sh -c \{ ulimit -f .*; :; tr .* false 0 0$/u);
    expect(await handle.exec('')).toMatchObject({ exitCode: 0 });
    expect(await handle.exec('# nothing')).toMatchObject({ exitCode: 0 });
    expect(await handle.exec('nowhere')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('sh: 1: '),
    });
  });

  it('has its limit on processes set', async () => {
    expect((await handle.exec('grep "Max processes" /proc/self/limits')).stdout).toMatch(/ 40 +40 /u);
  });

  it('gives one process no more memory than its limit', async () => {
    const { exitCode } = await handle.exec(`perl -e 'my $x = "x" x 200_000_000; print length $x'`);
    expect(exitCode).not.toBe(0);
    expect((await handle.exec(`perl -e 'my $x = "x" x 10_000_000; print length $x'`)).stdout).toBe(
      '10000000',
    );
  });

  it.each(['/tmp', '/var/tmp', '/dev/shm'])('writes no more than its limit to %s', async (path) => {
    const { stdout } = await handle.exec(
      `head -c 1900000 /dev/zero > ${path}/a; head -c 1900000 /dev/zero > ${path}/b; cat ${path}/a ${path}/b | wc -c`,
    );
    expect(Number(stdout)).toBeLessThanOrEqual(MEBIBYTE);
  });

  it('writes no larger file than its limit, a sparse one neither', async () => {
    await handle.exec('head -c 5000000 /dev/zero > large; truncate -s 1T sparse');
    const { stdout } = await handle.exec('stat -c %s large sparse 2>/dev/null');
    for (const size of stdout.trim().split('\n')) expect(Number(size)).toBeLessThanOrEqual(2 * MEBIBYTE);
  });

  it('finds no other place in memory to write to', async () => {
    const { exitCode } = await handle.exec('echo x > /dev/file || echo x > /file || echo x > /run/file');
    expect(exitCode).not.toBe(0);
  });

  it('reports which limits nothing enforces', async () => {
    const hasGroups = await hasControlGroups();
    const memory = 'total memory of all processes';
    const without = process.getuid?.() === 0 ? ['processes (you are root)', memory] : [memory];
    expect(handle.unenforcedLimits).toEqual(hasGroups ? [] : without);
  });
});

const noGroups = (await hasControlGroups()) ? undefined : 'this user cannot create control groups';

describeUnless(noGroups ?? bubblewrapIsMissing, 'a control group of a sandbox', () => {
  const limits = { pids: 40, memoryBytes: 96 * MEBIBYTE };
  let worktreePath: string;
  let handle: SandboxHandle;
  beforeEach(async () => {
    worktreePath = makeRepository();
    const created = { worktreePath, hostRepoPath: worktreePath, mounts: [], env: {} };
    handle = await bubblewrap({ egress: 'none', limits }).create(created);
  });
  afterEach(async () => handle.close());

  it('holds a fork bomb to the limit on processes, over all commands', async () => {
    // The first command keeps its 15 processes until the second has started as many as it can.
    const bomb = (most: number, wait: string): string =>
      `perl -e '$| = 1; my $n = 0; while ($n < ${most}) { my $pid = fork(); last unless defined $pid; if (!$pid) { sleep 600; exit } $n++; push @all, $pid } print "$n\\n"; ${wait} kill 9, @all'`;
    const first = await hold(bomb(15, 'select(undef, undef, undef, 0.05) until -e "release";'));
    const second = await handle.exec(bomb(500, ''));
    await first.release();
    expect(first.line).toBe('15');
    expect(Number(second.stdout)).toBeGreaterThan(0);
    expect(15 + Number(second.stdout)).toBeLessThan(limits.pids);
    expect((await handle.exec('echo again')).stdout).toBe('again\n');
  });

  it('holds all processes together to the limit on memory', async () => {
    const greedy = (wait: string): string =>
      `perl -e '$| = 1; vec(my $x, 60_000_000, 8) = 1; print "held\\n"; ${wait}'`;
    const first = await hold(greedy('select(undef, undef, undef, 0.05) until -e "release"; print "kept\\n"'));
    const second = await handle.exec(greedy(''));
    const kept = (await first.release()).includes('kept');
    // The kernel chooses which of the two it kills.
    expect([kept, second.stdout === 'held\n']).not.toEqual([true, true]);
  });

  /** Starts a command and waits for its first line. `release()` lets it go on, and returns its output. */
  async function hold(command: string): Promise<{ readonly line: string; release(): Promise<string> }> {
    let settled: ReturnType<SandboxHandle['exec']>;
    const line = await new Promise<string>((resolve, reject) => {
      settled = handle.exec(command, { onLine: resolve });
      settled.then(() => reject(new Error('The command ended without a line.')), reject);
    });
    const release = async (): Promise<string> => {
      writeFileSync(join(worktreePath, 'release'), '');
      return (await settled).stdout;
    };
    return { line, release };
  }

  const groups = (): readonly string[] =>
    findParents().flatMap(({ folder }) =>
      readdirSync(folder)
        .filter((name) => name.startsWith(`truecast-${process.pid}-`))
        .map((name) => join(folder, name)),
    );

  it('counts swapped memory too, where the kernel counts it', () => {
    const limitOf = (path: string): number | undefined =>
      existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined;
    for (const group of groups()) {
      expect([0, undefined]).toContain(limitOf(join(group, 'memory.swap.max')));
      const both = limitOf(join(group, 'memory.memsw.limit_in_bytes'));
      expect([limits.memoryBytes, undefined]).toContain(both);
    }
    expect(groups().length).toBeGreaterThan(0);
  });

  it('is removed with the sandbox, and made again where another process removed it', async () => {
    const own = groups();
    expect(own.length).toBeGreaterThan(0);
    for (const group of own) rmdirSync(group);
    expect((await handle.exec('echo ran')).stdout).toBe('ran\n');
    expect(groups()).toEqual(own);
    await handle.close();
    expect(groups()).toEqual([]);
  });
});

describe('the folder of control groups', () => {
  it('is beside the own group with cgroups v2, where both controllers are on', () => {
    const root = mkdtempSync(join(tmpdir(), 'truecast-cgroup-'));
    const write = (path: string, text: string): void => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    write('cgroup.controllers', 'cpu memory pids');
    write('app.slice/cgroup.subtree_control', 'memory pids');
    write('session.slice/cgroup.subtree_control', 'cpu');
    const folders = (own: string): readonly string[] =>
      findParents(root, `0::${own}\n`).map(({ folder }) => folder);
    expect(folders('/app.slice/terminal.scope')).toEqual([join(root, 'app.slice')]);
    expect(folders('/session.slice/shell.scope')).toEqual([]);
    expect(findParents(join(root, 'absent'), '0::/\n')).toEqual([]);
    const settings = { 'pids.max': 'pids', 'memory.max': 'memoryBytes' };
    const own = join(root, 'app.slice/terminal.scope');
    const beside = { folder: join(root, 'app.slice'), settings, own };
    expect(findParents(root, '0::/app.slice/terminal.scope\n')).toEqual([beside]);
    // The root group has no limit that another group could exceed.
    expect(findParents(root, '0::/\n')).toEqual([]);
    write('cgroup.subtree_control', 'cpu memory pids');
    expect(findParents(root, '0::/\n')).toEqual([{ folder: join(root, '/'), settings, own: undefined }]);
  });

  it('is below the own group with cgroups v1', () => {
    const root = mkdtempSync(join(tmpdir(), 'truecast-cgroup-'));
    expect(findParents(root, '8:pids:/a\n4:cpu,memory:/b\n0::/\n').map(({ folder }) => folder)).toEqual([
      join(root, 'pids/a'),
      join(root, 'memory/b'),
    ]);
  });
});
