/** `/etc` in a bubblewrap sandbox: its content, and the number of its mounts. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createContractFixture,
  type ContractFixture,
} from '../../../../testing/src/sandbox-contract-fixture.ts';
import { bubblewrap } from '../bubblewrap.ts';
import type { BubblewrapOptions } from './limits.ts';
import { quickenMoves } from './control-group.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';

let fixture: ContractFixture;
let handle: SandboxHandle;

async function start(options: BubblewrapOptions = {}): Promise<void> {
  handle = await bubblewrap({ egress: 'none', ...options }).create(fixture.options);
}

beforeEach(async () => {
  fixture = await createContractFixture();
});

afterEach(async () => {
  await handle.close();
  await fixture.remove();
});

it('has the files of the host, without a mount for each', async () => {
  await start();
  const { stdout } = await handle.exec(
    'cat /etc/services; for f in /etc/* /etc/ssl/*; do [ ! -f "$f" ] || grep " $f " /proc/self/mountinfo; done',
  );
  expect(stdout).toBe(await readFile('/etc/services', 'utf8').catch(() => ''));
});

it('has only the users of the sandbox, and cannot be written', async () => {
  await start();
  const { stdout } = await handle.exec('cut -d: -f1 /etc/passwd; echo x >> /etc/passwd || echo refused');
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(['agent', 'nobody', 'refused']));
  expect(stdout).not.toContain('sshd');
});

it('shows mounts of the caller below it and over it', async () => {
  const hostPath = join(fixture.options.hostRepoPath, 'of-caller');
  await mkdir(hostPath);
  await writeFile(join(hostPath, 'a'), 'mine');
  await start({ mounts: [{ hostPath, sandboxPath: '/etc/deep/mine' }] });
  expect((await handle.exec('cat /etc/deep/mine/a; echo b > /etc/deep/mine/b')).stdout).toBe('mine');
  expect(await readFile(join(hostPath, 'b'), 'utf8')).toBe('b\n');
  await handle.close();
  await start({ mounts: [{ hostPath, sandboxPath: '/etc' }] });
  await handle.exec('echo c > /etc/c');
  expect(await readFile(join(hostPath, 'c'), 'utf8')).toBe('c\n');
});

it('is prepared while this process stays in its control groups', async () => {
  await start();
  const before = await readFile('/proc/self/cgroup', 'utf8');
  await quickenMoves();
  expect(await readFile('/proc/self/cgroup', 'utf8')).toBe(before);
});
