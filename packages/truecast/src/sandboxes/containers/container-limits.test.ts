import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { narrowedProfile } from '../shared/seccomp-profile.ts';
import { runArguments, type ContainerLayout } from './container-arguments.ts';
import { containerUser } from './container-user.ts';
import {
  dockerLimits,
  limitArguments,
  podmanLimits,
  readEngineLimits,
  unenforcedContainerLimits,
  type EngineLimits,
} from './container-limits.ts';

const MACHINE = { totalMemoryBytes: 4_000, isRootless: false };
const ALL: EngineLimits = { canLimitMemory: true, canLimitProcesses: true, ...MACHINE };
const NONE: EngineLimits = { canLimitMemory: false, canLimitProcesses: false, ...MACHINE };

describe('limits of a container', () => {
  it('are these arguments by default', () => {
    const layout: ContainerLayout = {
      engine: 'podman',
      name: 'truecast-1',
      imageName: 'truecast:x',
      user: { uid: 1, gid: 2, userns: undefined },
      worktreePath: '/work',
      mounts: [],
      isCutOff: true,
      forwarder: [],
      host: { pid: 7, host: 'h' },
      limits: ALL,
    };
    const args = runArguments(layout, {}).join(' ');
    expect(args).toContain(
      '--network none --memory 3000 --memory-swap 3000 --pids-limit 4096 ' +
        '--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777,size=2147483648 ' +
        '--tmpfs /var/tmp:rw,exec,nosuid,nodev,mode=1777,size=2147483648 ' +
        '--shm-size 2147483648 ' +
        '--cap-drop MKNOD --cap-drop NET_RAW --cap-drop SETPCAP --cap-drop SYS_CHROOT ' +
        '--security-opt no-new-privileges --workdir /work',
    );
    expect(runArguments(layout, { allowPrivilegeEscalation: true }).join(' ')).not.toContain(
      'no-new-privileges',
    );
  });

  it('are those of the options, and a mount of the caller takes the place of a temporary folder', () => {
    const options = { memoryBytes: 7, pidsLimit: 8, temporaryBytes: 9, cpus: 2 };
    expect(limitArguments(options, ALL, ['/tmp', '/dev/shm'])).toEqual(
      '--cpus 2 --memory 7 --memory-swap 7 --pids-limit 8 --tmpfs /var/tmp:rw,exec,nosuid,nodev,mode=1777,size=9'.split(
        ' ',
      ),
    );
  });

  it('leave out a default that the engine cannot enforce, and pass on what the caller names', () => {
    expect(limitArguments({}, NONE, ['/tmp', '/var/tmp', '/dev/shm'])).toEqual([]);
    expect(limitArguments({ pidsLimit: 5 }, NONE, [])).toEqual(expect.arrayContaining(['--pids-limit', '5']));
    expect(unenforcedContainerLimits(NONE)).toEqual(['processes', 'memory']);
    expect(unenforcedContainerLimits(ALL)).toEqual([]);
  });
});

describe('what an engine can limit', () => {
  const v2 = { cgroupVersion: 'v2', cgroupManager: 'systemd', security: { rootless: true } };
  it.each([
    ['as root', { cgroupVersion: 'v1', cgroupControllers: ['memory', 'pids'] }, []],
    ['with delegation', { ...v2, cgroupControllers: ['memory', 'pids'] }, []],
    ['with part of it', { ...v2, cgroupControllers: ['pids'] }, ['memory']],
    [
      'without systemd',
      { ...v2, cgroupManager: 'cgroupfs', cgroupControllers: ['memory', 'pids'] },
      ['processes', 'memory'],
    ],
    [
      'without root on cgroups v1',
      { ...v2, cgroupVersion: 'v1', cgroupControllers: ['memory', 'pids'] },
      ['processes', 'memory'],
    ],
  ])('of podman %s', (_title, host, unenforced) => {
    expect(unenforcedContainerLimits(podmanLimits({ host: { ...host, memTotal: 5 } }))).toEqual(unenforced);
    expect(podmanLimits({ host: { memTotal: 5 } }).totalMemoryBytes).toBe(5);
  });

  it('of docker is in its flags', () => {
    expect(dockerLimits({ MemoryLimit: false, PidsLimit: true, MemTotal: 5 })).toEqual({
      canLimitMemory: false,
      canLimitProcesses: true,
      totalMemoryBytes: 5,
      isRootless: false,
    });
    expect(unenforcedContainerLimits(dockerLimits({}))).toEqual([]);
  });
});

describe('the seccomp profile of podman', () => {
  it('is the default one without user namespaces, and without what bubblewrap refuses', () => {
    const names = ['read', 'clone', 'clone3', 'unshare', 'keyctl', 'bpf', 'io_uring_setup', 'socketcall'];
    const rule = { names, action: 'SCMP_ACT_ALLOW', args: [] };
    const audit = { index: 2, value: 9, valueTwo: 0, op: 'SCMP_CMP_NE' };
    const socket = { names: ['socket'], action: 'SCMP_ACT_ALLOW', args: [audit] };
    const refused = { names: ['socket'], action: 'SCMP_ACT_ERRNO', args: [audit] };
    const error = { names: ['bpf'], action: 'SCMP_ACT_ERRNO', args: [] };
    const syscalls = [rule, socket, refused, error];
    const changed = narrowedProfile({ defaultAction: 'SCMP_ACT_ERRNO', syscalls });
    const family = (value: number): unknown => ({ index: 0, value, valueTwo: 0, op: 'SCMP_CMP_EQ' });
    expect(changed).toEqual({
      defaultAction: 'SCMP_ACT_ERRNO',
      syscalls: [
        { ...rule, names: ['read'] },
        error,
        expect.objectContaining({
          names: ['clone', 'unshare'],
          args: [expect.objectContaining({ valueTwo: 0 })],
        }),
        ...[1, 2, 10].map((value) => ({ ...socket, args: [family(value)] })),
        { ...socket, args: [family(16), audit] },
        { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
      ],
    });
    expect(narrowedProfile({ syscalls: 'none' })).toBeUndefined();
  });

  it('is a file of this machine', () => {
    const security = { seccompEnabled: true, seccompProfilePath: '/p.json' };
    expect(podmanLimits({ host: { security } }).seccompPath).toBe('/p.json');
    expect(podmanLimits({ host: { security, serviceIsRemote: true } }).seccompPath).toBeUndefined();
    expect(podmanLimits({ host: { security: {} } }).seccompPath).toBeUndefined();
  });
});

describe('reading the limits', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'truecast-engine-'));
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** Makes an engine that answers so, and counts its calls. */
  function say(engine: string, answer: string, exitCode = 0): void {
    const script = `#!/bin/sh\necho call >> ${folder}/calls\necho '${answer}'\nexit ${exitCode}\n`;
    writeFileSync(join(folder, engine), script, { mode: 0o755 });
  }
  const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8');

  it('asks an engine once, but again after a failure', async () => {
    say('podman', '{}', 1);
    await readEngineLimits('podman');
    say('podman', '{}');
    for (let starts = 0; starts < 3; starts += 1) await readEngineLimits('podman');
    expect(calls()).toBe('call\ncall\n');
  });

  it('also tells the user inside of docker, who is root if the engine is not', async () => {
    say('docker', '{"SecurityOptions":["name=seccomp","name=rootless"]}');
    for (let starts = 0; starts < 3; starts += 1) {
      await readEngineLimits('docker');
      expect((await containerUser('docker', {}, {})).uid).toBe(0);
    }
    expect(calls()).toBe('call\n');
  });
});
