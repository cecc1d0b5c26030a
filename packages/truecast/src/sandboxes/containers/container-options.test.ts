import { describe, expect, it } from 'vitest';
import { docker } from '../docker.ts';
import { noSandbox } from '../no-sandbox.ts';
import { podman } from '../podman.ts';
import { defaultImageName } from './container-image.ts';
import type { ContainerOptions } from './container-options.ts';

describe('docker() and podman()', () => {
  it.each([
    [{ imageName: '--privileged' }, '`imageName`'],
    [{ containerUid: -1 }, '`containerUid`'],
    [{ containerGid: 1.5 }, '`containerGid`'],
    [{ cpus: 0 }, '`cpus`'],
    [{ cpus: Number.NaN }, '`cpus`'],
    [{ memoryBytes: 1024 }, '`memoryBytes`'],
    [{ pidsLimit: 0 }, '`pidsLimit`'],
    [{ temporaryBytes: 0 }, '`temporaryBytes`'],
    [{ fileBytes: 0.5 }, '`fileBytes`'],
    [{ maxOutputTailChars: 0 }, '`maxOutputTailChars`'],
    [{ network: '-host' }, '`network`'],
    [{ devices: ['/dev/kvm --privileged'] }, '`devices`'],
    [{ capDrop: [''] }, '`capDrop`'],
    [{ groups: ['a b'] }, '`groups`'],
    [{ env: { 'NOT.A.NAME': 'x' } }, '`env`'],
    [{ egress: { allow: [] } }, '`egress.allow`'],
    [{ network: 'web', egress: 'none' }, '`network`'],
  ] satisfies [ContainerOptions, string][])('refuse %j', (options, name) => {
    for (const make of [docker, podman]) {
      expect(() => make(options)).toThrow(
        expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(name) as unknown }),
      );
    }
  });

  it('take every option together', () => {
    const options: ContainerOptions = {
      imageName: 'registry.example.com:5000/team/agents:1.2@sha256-x',
      containerUid: 0,
      containerGid: 0,
      selinuxLabel: false,
      mounts: [],
      env: { KEY: 'value' },
      network: ['one', 'two'],
      groups: ['docker', 999],
      devices: ['/dev/kvm:/dev/kvm:rw'],
      cpus: 1.5,
      memoryBytes: 1024 ** 3,
      pidsLimit: 100,
      temporaryBytes: 1024 ** 2,
      fileBytes: 1024 ** 3,
      allowPrivilegeEscalation: true,
      capDrop: ['ALL'],
      egress: 'host',
      maxOutputTailChars: 10,
    };
    expect(docker(options)).toMatchObject({
      name: 'docker',
      tag: 'bind-mount',
      egress: 'host',
      env: { KEY: 'value' },
    });
    expect(podman({ ...options, userns: false })).toMatchObject({
      name: 'podman',
      sandboxHomedir: '/home/agent',
    });
    expect(podman().egress).toBeUndefined();
    expect(() => podman({ network: 'one' })).toThrow("egress: 'host'");
  });

  it('refuse an invalid user mapping', () => {
    // @ts-expect-error -- a caller without types
    expect(() => podman({ userns: 'host' })).toThrow('`userns`');
  });
});

describe('defaultImageName()', () => {
  it.each([
    ['/work/My Project', 'truecast:my-project'],
    ['/work/a.b_c-1/', 'truecast:a.b_c-1'],
    ['/work/..x', 'truecast:x'],
    ['/', 'truecast:repository'],
    ['C:\\work\\Mine', 'truecast:mine'],
    ['/work/Größe', 'truecast:gr-e'],
  ])('makes of %s a name that engines take', (path, name) => {
    expect(defaultImageName(path)).toBe(name);
  });
});

it('keeps of a told output as much as `maxOutputTailChars` says', async () => {
  const { exec, close } = await noSandbox({ maxOutputTailChars: 3 }).create({
    worktreePath: '/',
    hostRepoPath: '/',
    mounts: [],
    env: {},
  });
  expect((await exec('printf 123456', { onLine: () => undefined })).stdout).toBe('456');
  expect((await exec('printf 123456')).stdout).toBe('123456');
  await close();
});
