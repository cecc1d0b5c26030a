import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../test/describe-in-bubblewrap.ts';
import { probeBubblewrap } from './probe.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Replaces bubblewrap by a program that fails as if namespaces were forbidden. */
async function refuse(): Promise<void> {
  const path = join(folder, 'bwrap');
  await writeFile(path, '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n');
  await chmod(path, 0o755);
}

describe('probeBubblewrap', () => {
  describeInBubblewrap('where bubblewrap works', () => {
    it('finds it working', async () => {
      expect(await probeBubblewrap()).toEqual({ works: true });
    });
  });

  it.each([
    ['darwin', 'needs Linux'],
    ['win32', 'needs Linux'],
  ] as const)('says that it is not for %s', async (platform, reason) => {
    expect(await probeBubblewrap({ platform })).toEqual({
      works: false,
      reason: expect.stringContaining(reason) as string,
    });
  });

  it('reports how to install it', async () => {
    expect(await probeBubblewrap({ searchPath: folder })).toEqual({
      works: false,
      reason: expect.stringContaining('apt install bubblewrap') as string,
    });
  });

  it.each([
    ['kernel/apparmor_restrict_unprivileged_userns', '1', 'AppArmor'],
    ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
    ['user/max_user_namespaces', '0', 'user.max_user_namespaces='],
    ['nothing', '', 'In a container'],
  ])('names the setting %s that stands in the way', async (setting, value, reason) => {
    await refuse();
    const readSetting = (name: string): string | undefined => (name === setting ? value : undefined);
    const result = await probeBubblewrap({ searchPath: folder, readSetting });
    expect(result).toEqual({ works: false, reason: expect.stringContaining(reason) as string });
    expect(result).toMatchObject({
      reason: expect.stringContaining('setting up uid map: Permission denied') as string,
    });
  });
});
