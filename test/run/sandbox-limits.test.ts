/** Lets guests of bubblewrap use as much as they can, under small limits. */
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrap } from '../../src/run/sandboxes/bubblewrap.ts';
import { findParents, hasControlGroups } from '../../src/run/sandboxes/bubblewrap/control-group.ts';
import type { SandboxHandle } from '../../src/run/sandboxes/sandbox-provider.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
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
    const memory = 'memory of all processes together';
    const without = process.getuid?.() === 0 ? ['processes (you are root)', memory] : [memory];
    expect(handle.unenforcedLimits).toEqual(hasGroups ? [] : without);
  });
});

describe.skipIf(!runsBubblewrap || !(await hasControlGroups()))('a control group of a sandbox', () => {
  const limits = { pids: 40, memoryBytes: 96 * MEBIBYTE };
  let handle: SandboxHandle;
  beforeEach(async () => {
    const worktreePath = makeRepository();
    const created = { worktreePath, hostRepoPath: worktreePath, mounts: [], env: {} };
    handle = await bubblewrap({ egress: 'none', limits }).create(created);
  });
  afterEach(async () => handle.close());

  it('holds a fork bomb to the limit on processes, over all commands', async () => {
    const count = `perl -e 'my $n = 0; while ($n < 500) { my $pid = fork(); last unless defined $pid; if (!$pid) { sleep 2; exit } $n++ } print $n'`;
    const started = await Promise.all([handle.exec(count), handle.exec(count)]);
    const total = started.reduce((sum, { stdout }) => sum + Number(stdout), 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(limits.pids);
    expect((await handle.exec('echo again')).stdout).toBe('again\n');
  });

  it('holds all processes together to the limit on memory', async () => {
    const greedy = `for i in 1 2 3; do perl -e 'my $x = "x" x 50_000_000; sleep 2; print "held\\n"' & done; wait; true`;
    const { stdout } = await handle.exec(greedy);
    expect(stdout.split('held').length - 1).toBeLessThan(3);
  });

  it('is removed with the sandbox, and made again where another process removed it', async () => {
    const groups = (): readonly string[] =>
      findParents().flatMap(({ folder }) =>
        readdirSync(folder)
          .filter((name) => name.startsWith(`truecast-${process.pid}-`))
          .map((name) => join(folder, name)),
      );
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
  });

  it('is below the own group with cgroups v1', () => {
    const root = mkdtempSync(join(tmpdir(), 'truecast-cgroup-'));
    expect(findParents(root, '8:pids:/a\n4:cpu,memory:/b\n0::/\n').map(({ folder }) => folder)).toEqual([
      join(root, 'pids/a'),
      join(root, 'memory/b'),
    ]);
  });
});
