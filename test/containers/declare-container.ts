/**
 * Tests specific to containers, beyond the contract of every sandbox: limits, the user, and the end
 * of the host process.
 */
import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { TEST_IMAGE } from './shared-image.ts';
import { thisProcess } from '../../packages/truecast/src/process/process-identity.ts';
import type { EngineName } from '../../packages/truecast/src/sandboxes/containers/container-engine.ts';
import { hostLabels } from '../../packages/truecast/src/sandboxes/containers/host-labels.ts';
import { type DeclareTest, matrixRow } from '../matrix.ts';
import { createContainerTest, type ContainerTest } from './container-test.ts';
import { declareNetwork, declareRefusals } from './declare-container-start.ts';

/** Higher than any id that Linux assigns. */
const NO_PROCESS = 4_194_304;
const HOST_PROGRAM = join(import.meta.dirname, './container-host.ts');

/** Declares the tests on one started engine. In the short form, each engine tries half of them. */
export function declareContainer(engine: EngineName): void {
  const test = createContainerTest(engine);
  const declare = matrixRow(engine === 'podman' ? 0 : 1, { rows: 2, stride: 2 });
  declareLife(test, declare);
  declareLimits(test, declare);
  declareUser(test, declare);
  declareFiles(test, declare);
  describe('the network', () => declareNetwork(test, declare));
  describe('a start that cannot succeed', () => declareRefusals(test, declare));
}

function declareLife(test: ContainerTest, declare: DeclareTest): void {
  declare('ends with the process that started it, also when that is killed', async () => {
    const { worktreePath, countLeft } = test.fixture;
    const args = [HOST_PROGRAM, test.engine, TEST_IMAGE, worktreePath, `echo ready; ${countLeft.command}`];
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(host.stdout, 'data');
    expect(await test.names()).toMatch(/^truecast-[0-9a-f-]{36}$/u);
    expect(await countLeft.count()).toBe(1);
    host.kill('SIGKILL');
    await expect.poll(test.names, { timeout: 20_000 }).toBe('');
    expect(await countLeft.count()).toBe(0);
  });

  declare('is removed by the next one when its process is dead and it is not', async () => {
    const ended = { ...thisProcess(), pid: NO_PROCESS };
    const labels = hostLabels(ended, '/x').flatMap((label) => ['--label', label]);
    const program = [TEST_IMAGE, '/bin/sh', '-c', 'sleep 600'];
    await test.engineSays('run', '--detach', ...labels, '--network', 'none', ...program);
    const next = await test.start();
    await next.close();
    expect(await test.names()).toBe('');
  });

  declare('shows no value of the environment to the engine, nor to other processes', async () => {
    const secret = `secret-${randomUUID()}`;
    const { exec } = await test.start({ env: { ONE: secret } }, { env: { TWO: secret } });
    const running = exec('echo "$ONE$TWO$THREE"; sleep 1', { env: { THREE: secret } });
    const name = await test.names();
    const seen = [
      await test.engineSays('inspect', name),
      (await execa('ps', ['-eww', '-o', 'args'])).stdout,
    ].join('\n');
    expect(seen).not.toContain(secret);
    expect((await running).stdout).toBe(`${secret.repeat(3)}\n`);
  });
}

function declareLimits(test: ContainerTest, declare: DeclareTest): void {
  declare('has the limits and the capabilities that it was given', async () => {
    const { exec } = await test.start({
      memoryBytes: 64 * 1024 * 1024,
      pidsLimit: 40,
      cpus: 0.5,
      capDrop: ['ALL'],
    });
    const config = await test.engineSays('inspect', '--format', '{{json .HostConfig}}', await test.names());
    expect(config).toMatch(/"Memory":67108864/u);
    expect(config).toMatch(/"MemorySwap":67108864/u);
    expect(config).toMatch(/"PidsLimit":40/u);
    const status = await exec('grep -E "^(CapBnd|NoNewPrivs)" /proc/self/status');
    expect(status.stdout).toMatch(/CapBnd:\s+0000000000000000\nNoNewPrivs:\s+1/u);
    const forks = await exec('for i in $(seq 60); do sleep 5 & done; wait', {
      signal: AbortSignal.timeout(20_000),
    });
    expect(forks.stderr).toMatch(/fork|Resource temporarily unavailable/iu);
    const greedy = await exec(`node -e 'Buffer.alloc(256*1024*1024, 1)'`);
    expect(greedy.exitCode).not.toBe(0);
    // Podman writes this file into its current folder.
    expect(existsSync('oom')).toBe(false);
  });

  declare(
    'bounds what a guest can use up and keeps it from more rights, by default and by options',
    async () => {
      const { exec, unenforcedLimits } = await test.start({
        temporaryBytes: 1_048_576,
        fileBytes: 2_097_152,
      });
      const config = await test.engineSays('inspect', '--format', '{{json .HostConfig}}', await test.names());
      expect(config).toMatch(/"PidsLimit":4096/u);
      expect(Number(/"Memory":(\d+)/u.exec(config)?.[1])).toBeGreaterThan(0);
      expect(unenforcedLimits).toEqual([]);
      const used = await exec(
        `for path in /tmp /var/tmp /dev/shm; do
        head -c 1900000 /dev/zero > $path/a; head -c 1900000 /dev/zero > $path/b; cat $path/a $path/b | wc -c
      done; head -c 5000000 /dev/zero > large; truncate -s 1T sparse; stat -c %s large sparse`,
      );
      const sizes = used.stdout.trim().split('\n').map(Number);
      expect(sizes.slice(0, 3)).toEqual([1_048_576, 1_048_576, 1_048_576]);
      for (const size of sizes) expect(size).toBeLessThanOrEqual(2_097_152);
      const rights =
        'grep NoNewPrivs /proc/self/status; rm /tmp/[ab]; printf "#!/bin/sh\necho ran" > /tmp/c; chmod +x /tmp/c; /tmp/c';
      expect((await exec(rights)).stdout).toMatch(/NoNewPrivs:\s+1\nran/u);
      const { exec: execAllowed } = await test.start({ allowPrivilegeEscalation: true });
      expect((await execAllowed('grep NoNewPrivs /proc/self/status')).stdout).toMatch(/NoNewPrivs:\s+0/u);
    },
  );

  declare('has no capability by default that neither hooks nor agents need', async () => {
    const { exec } = await test.start();
    const bounds = BigInt(`0x${(await exec('sed -n "s/^CapBnd:\\t//p" /proc/self/status')).stdout.trim()}`);
    const [setpcap, netRaw, sysChroot, sysAdmin, mknod] = [8n, 13n, 18n, 21n, 27n].map(
      (bit) => (bounds >> bit) & 1n,
    );
    expect({ setpcap, netRaw, sysChroot, sysAdmin, mknod }).toEqual({
      setpcap: 0n,
      netRaw: 0n,
      sysChroot: 0n,
      sysAdmin: 0n,
      mknod: 0n,
    });
  });
}

function declareUser(test: ContainerTest, declare: DeclareTest): void {
  declare('writes files as the caller, or as the user that was named, whose HOME is his', async () => {
    const owner = async (name: string): Promise<number> =>
      (await stat(join(test.fixture.worktreePath, name))).uid;
    const { exec } = await test.start();
    await exec('echo > mine; echo > ~/file');
    expect(await owner('mine')).toBe(process.getuid?.());
    await execa('chmod', ['777', test.fixture.worktreePath]);
    const { exec: execOther } = await test.start({ containerUid: 1234, containerGid: 1234 });
    expect(await execOther('echo > theirs; echo > ~/file; id -u')).toMatchObject({
      exitCode: 0,
      stdout: '1234\n',
      stderr: '',
    });
    expect(await owner('theirs')).toBe(1234);
    expect((await execOther('id -u; id -u', { sudo: true })).stdout).toBe('0\n0\n');
  });

  declare('shows mounts, read-only where it is said, and their folders in HOME to their user', async () => {
    const shared = join(test.fixture.folder, 'shared');
    await mkdir(shared);
    const mounts = [
      { hostPath: shared, sandboxPath: '~/.cache/deep/rw' },
      { hostPath: shared, sandboxPath: '/data', readonly: true },
    ];
    await execa('chmod', ['777', shared]);
    const { exec } = await test.start({ mounts, containerUid: 1234 });
    const result = await exec(
      'echo x > ~/.cache/deep/rw/file; cat /data/file; echo > ~/.cache/beside; echo y > /data/file',
    );
    expect(result).toMatchObject({ stdout: 'x\n' });
    expect(result.stderr).toMatch(/^[^\n]*Read-only file system\n$/iu);
  });
}

function declareFiles(test: ContainerTest, declare: DeclareTest): void {
  declare('runs a program on given streams', async () => {
    const { interactiveExec, worktreePath } = await test.start();
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stdin.end('typed\n');
    const ended = interactiveExec?.(['sh', '-c', 'read -r line; echo "$line $TERM $GIVEN"; pwd; exit 5'], {
      stdin,
      stdout,
      stderr,
      env: { GIVEN: 'given' },
    });
    expect(await ended).toEqual({ exitCode: 5 });
    stdout.end();
    expect(await text(stdout)).toBe(`typed ${process.env['TERM'] ?? 'dumb'} given\n${worktreePath}\n`);
  });

  declare('does not read or write files of the host by a link when a file is copied', async () => {
    const secret = join(test.fixture.folder, 'secret');
    await writeFile(secret, 'as it was');
    const { exec, copyFileIn, copyFileOut } = await test.start();
    await exec(`ln -s '${secret}' file; ln -s '${test.fixture.folder}' folder`);
    const copy = join(test.fixture.folder, 'copy');
    for (const path of ['file', 'folder/secret']) {
      await expect(copyFileOut?.(path, copy)).rejects.toMatchObject({ code: 'copy' });
    }
    await writeFile(join(test.fixture.folder, 'source'), 'changed');
    await copyFileIn?.(join(test.fixture.folder, 'source'), 'file').catch(() => undefined);
    expect(await readFile(secret, 'utf8')).toBe('as it was');
  });
}
