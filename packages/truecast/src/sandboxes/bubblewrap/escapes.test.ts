/** Escape attempts from a bubblewrap sandbox, one test each, except those over git. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createContractFixture,
  type ContractFixture,
} from '../../../../testing/src/sandbox-contract-fixture.ts';
import { bubblewrap } from '../bubblewrap.ts';
import type { BubblewrapOptions } from './limits.ts';
import type { SandboxCreateOptions, SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';

let fixture: ContractFixture;
let handle: SandboxHandle;

async function start(
  options: BubblewrapOptions = {},
  created: Partial<SandboxCreateOptions> = {},
): Promise<void> {
  await handle?.close();
  handle = await bubblewrap({ egress: 'none', ...options }).create({ ...fixture.options, ...created });
}

function inside(command: string): Promise<SandboxExecResult> {
  return handle.exec(command);
}

async function open(): Promise<void> {
  fixture = await createContractFixture();
  await start();
}

async function close(): Promise<void> {
  await handle.close();
  await fixture.remove();
}

/** Attempts that are refused share a sandbox: they leave it as it was. */
function sandbox({ isShared }: { readonly isShared: boolean }): void {
  (isShared ? beforeAll : beforeEach)(open);
  (isShared ? afterAll : afterEach)(close);
}

describe('refused access to files of the host', () => {
  sandbox({ isShared: true });
  it.each([
    `cat '${homedir()}'/.bashrc`,
    'cat /etc/shadow',
    'cat /etc/sudoers',
    `ls '${homedir()}'/.ssh`,
    'ls /proc/1/root/root',
    'ls /var/log',
  ])('are not seen: %s', async (command) => {
    expect((await inside(command)).exitCode).not.toBe(0);
  });

  it.each([
    '/usr/escaped',
    '/etc/escaped',
    '/escaped',
    '/run/escaped',
    '/home/escaped',
    '/dev/../escaped',
    '/proc/sys/kernel/hostname',
    '/proc/sys/kernel/core_pattern',
    '/proc/sysrq-trigger',
    '/proc/irq/default_smp_affinity',
  ])('cannot be written: %s', async (path) => {
    expect((await inside(`echo x > ${path}`)).exitCode).not.toBe(0);
  });
});

describe('files of the host', () => {
  sandbox({ isShared: false });
  it('are not reached by a link when a file is copied out', async () => {
    const secret = join(fixture.folder, 'secret');
    await writeFile(secret, 'secret');
    await inside(
      `ln -s '${secret}' file; ln -s '${fixture.folder}' folder; ln -s '${secret}' ~/file; mkfifo pipe`,
    );
    for (const path of ['file', 'folder/secret', '~/file', '/tmp/x', '../secret', 'pipe']) {
      await expect(handle.copyFileOut?.(path, join(fixture.folder, 'copy')), path).rejects.toMatchObject({
        code: 'copy',
      });
    }
    expect(existsSync(join(fixture.folder, 'copy'))).toBe(false);
  });

  it('are not written by a link when a file is copied in', async () => {
    const victim = join(fixture.folder, 'victim');
    await writeFile(victim, 'as it was');
    await writeFile(join(fixture.folder, 'source'), 'changed');
    await inside(`ln -s '${victim}' file; ln -s '${fixture.folder}' ~/folder`);
    for (const path of ['file', '~/folder/victim', '../victim']) {
      await expect(handle.copyFileIn?.(join(fixture.folder, 'source'), path)).rejects.toMatchObject({
        code: 'copy',
      });
    }
    expect(await readFile(victim, 'utf8')).toBe('as it was');
  });

  it('get no folder where the guest moved a place to mount on', async () => {
    const mounts = [{ hostPath: fixture.folder, sandboxPath: '~/deep/mount', readonly: true }];
    await start({ mounts });
    await inside(`mv ~/deep ~/moved; ln -s '/oldroot${fixture.folder}/made' ~/deep`);
    await expect(inside('true')).rejects.toMatchObject({ code: 'escape-attempt' });
    expect(existsSync(join(fixture.folder, 'made'))).toBe(false);
  });

  it('are not run by the loader of bubblewrap itself', async () => {
    const library = join(fixture.worktreePath, 'missing.so');
    const { stdout, stderr } = await handle.exec('printf %s "$LD_PRELOAD"', { env: { LD_PRELOAD: library } });
    expect(stdout).toBe(library);
    // One error of the shell inside. Bubblewrap's own loader would add a second.
    expect(stderr.split('missing.so').length - 1).toBe(1);
  });
});

describe('system calls', () => {
  sandbox({ isShared: true });
  const isArm = process.arch === 'arm64';
  it.each([
    ['a socket to the host of a virtual machine', isArm ? 198 : 41, '40, 1, 0', 97],
    ['io_uring', 425, '1, 0', 38],
    ['bpf', isArm ? 280 : 321, '0, 0, 0', 38],
    ['the keyring', isArm ? 219 : 250, '0, -3, 1', 38],
    ['performance counters', isArm ? 241 : 298, '0, 0, 0', 38],
    ['page faults in user space', isArm ? 282 : 323, '0', 38],
    ['another kernel', isArm ? 104 : 246, '0, 0, 0', 38],
    ['an opening whose mode is not visible', 437, '0, 0, 0', 38],
    ['a setuid bit', isArm ? 52 : 91, '1, 04755', 1],
  ])('are refused: %s', async (_, number, args, error) => {
    const { stdout } = await inside(`perl -e 'print syscall(${number}, ${args}), " ", $! + 0'`);
    expect(stdout).toBe(`-1 ${error}`);
  });
});

describe('processes of the host', () => {
  sandbox({ isShared: false });
  it('are not seen, and the environment of none is read', async () => {
    process.env['HOST_SECRET'] = 'secret-of-the-host';
    await start();
    const { stdout } = await inside('cat /proc/*/environ /proc/*/cmdline; ls -d /proc/[0-9]*; env');
    delete process.env['HOST_SECRET'];
    expect(stdout).not.toContain('secret-of-the-host');
    expect(stdout).not.toContain('vitest');
  });

  it('cannot be killed', async () => {
    const { stdout } = await inside(`kill -9 ${process.pid} || echo refused; kill -9 -1; echo alive`);
    expect(stdout).toContain('refused');
  });

  it('cannot be typed into through their terminal', async () => {
    const typing = `python3 -c 'import fcntl,termios; fcntl.ioctl(0, termios.TIOCSTI, b"x")' < /dev/tty`;
    expect((await inside(typing)).exitCode).not.toBe(0);
    expect((await inside('ps -o tty= -p $$ || echo "?"')).stdout.trim()).toBe('?');
  });

  it('are not joined by a daemon that outlives its command', async () => {
    const { countLeft } = fixture;
    await inside(`(setsid sh -c '(${countLeft.command} &) ' > /dev/null 2>&1 < /dev/null &); sleep 0.2`);
    expect(await countLeft.count()).toBe(0);
  });
});

describe('the kernel', () => {
  sandbox({ isShared: true });
  it.each([
    'mount -t tmpfs none /home/agent',
    'mount --bind /usr /home/agent',
    'umount /usr',
    'unshare -U true',
    'unshare -m true',
    'unshare -n true',
    'mknod /tmp/disk b 254 0',
    'chroot / true',
    'su -c true',
  ])('refuses: %s', async (command) => {
    expect((await inside(command)).exitCode).not.toBe(0);
  });

  it('grants no capability and no way to gain one', async () => {
    const { stdout } = await inside('grep -E "^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)" /proc/self/status');
    expect(stdout.match(/0000000000000000/g)).toHaveLength(5);
    expect(stdout).toMatch(/NoNewPrivs:\s+1/);
  });
});

describe('the network', () => {
  sandbox({ isShared: false });
  const servers: Server[] = [];
  const listen = async (path?: string): Promise<Server> => {
    const server = createServer((socket) => socket.end('reached'));
    servers.push(server);
    await new Promise<void>((resolve) => {
      if (path === undefined) server.listen(0, '127.0.0.1', resolve);
      else server.listen(path, resolve);
    });
    return server;
  };
  const connect = (target: string): Promise<SandboxExecResult> =>
    inside(
      `node -e 'require("net").connect(${target}).on("error",(e)=>{console.log(e.code);process.exit(1)}).pipe(process.stdout)'`,
    );

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it('of the host is not reached without egress, and is with it', async () => {
    const address = (await listen()).address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await connect(`${port}, "127.0.0.1"`)).toMatchObject({ exitCode: 1 });
    await start({ egress: 'host' });
    expect(handle.egress).toBe('host');
    expect(await connect(`${port}, "127.0.0.1"`)).toMatchObject({ exitCode: 0, stdout: 'reached' });
  });

  it('of abstract sockets is not reached without egress', async () => {
    const name = `truecast-${process.pid}`;
    await listen(`\0${name}`);
    expect(await connect(`"\\0${name}"`)).toMatchObject({ exitCode: 1 });
  });

  it('has no other interface than loopback', async () => {
    expect((await inside('cat /proc/net/dev')).stdout.match(/^\s*\w+:/gm)).toEqual([
      expect.stringMatching(/lo:/),
    ]);
  });
});

describe('what is shown on purpose', () => {
  sandbox({ isShared: false });
  it('is a program installed anywhere, with its package, found on the PATH', async () => {
    const prefix = join(fixture.folder, 'prefix');
    const library = join(prefix, 'lib', 'node_modules', 'tool');
    await mkdir(library, { recursive: true });
    await mkdir(join(prefix, 'bin'));
    await writeFile(join(library, 'data.txt'), 'data');
    await writeFile(join(prefix, 'bin', 'secret'), 'secret');
    await writeFile(
      join(library, 'cli.js'),
      '#!/usr/bin/env node\nconsole.log(require("fs").readFileSync(__dirname + "/data.txt", "utf8"))',
      { mode: 0o755 },
    );
    await symlink('../lib/node_modules/tool/cli.js', join(prefix, 'bin', 'tool'));
    await start({}, { readonlyPaths: [join(prefix, 'bin', 'tool')] });
    expect((await inside('tool')).stdout).toBe('data\n');
    expect((await inside(`cat '${prefix}/bin/secret'`)).exitCode).not.toBe(0);
    expect((await inside(`echo x > '${library}/data.txt'`)).exitCode).not.toBe(0);
  });

  it('is a mount, read-only where it is said', async () => {
    const shared = join(fixture.folder, 'shared');
    await mkdir(shared);
    await start({
      mounts: [
        { hostPath: shared, sandboxPath: '~/rw' },
        { hostPath: shared, sandboxPath: '/data', readonly: true },
      ],
    });
    expect(await inside('echo x > ~/rw/file; cat /data/file; echo y > /data/file')).toMatchObject({
      stdout: 'x\n',
      exitCode: 2,
    });
  });

  it('is a home that lasts until the sandbox is closed', async () => {
    await inside('echo x > ~/file');
    expect((await inside('cat ~/file; pwd; echo ~; id -un')).stdout).toBe(
      `x\n${fixture.worktreePath}\n/home/agent\nagent\n`,
    );
  });

  it('is a home that is removed whatever the guest left in it', async () => {
    const list = await fixture.useOwnTemporaryFolder();
    await start();
    // Its home, and the files of its system.
    expect(await list()).toHaveLength(2);
    await inside('mkdir -p ~/closed/folder; touch ~/closed/folder/file; chmod 000 ~/closed/folder ~/closed');
    await handle.close();
    expect(await list()).toEqual([]);
  });

  it('is files that belong to the caller', async () => {
    const { stdout } = await execa('sh', [
      '-c',
      'stat -c %u "$1"',
      'sh',
      (await inside('touch mine'), join(fixture.worktreePath, 'mine')),
    ]);
    expect(stdout).toBe(String(process.getuid?.()));
  });
});
