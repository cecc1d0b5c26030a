import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openRegularFile, readRegularFile, type OpenMode } from './open-regular-file.ts';

const base = mkdtempSync(join(tmpdir(), 'truecast-open-'));
const root = join(base, 'root');
const outside = join(base, 'outside');
afterAll(() => rmSync(base, { recursive: true, force: true }));

mkdirSync(join(root, 'folder'), { recursive: true });
mkdirSync(outside);
writeFileSync(join(outside, 'secret'), 'secret');
writeFileSync(join(root, 'folder', 'plain'), 'plain');
symlinkSync(join(outside, 'secret'), join(root, 'link'));
symlinkSync(join(outside, 'missing'), join(root, 'dangling'));
symlinkSync(outside, join(root, 'linked-folder'));
symlinkSync('folder', join(root, 'inner-link'));
execFileSync('mkfifo', [join(root, 'pipe')]);
linkSync(join(outside, 'secret'), join(root, 'hard'));
symlinkSync('/dev/zero', join(root, 'zero'));

const MODES: readonly OpenMode[] = ['read', 'append', 'append-read', 'overwrite', 'create'];

/** Returns the path that a descriptor refers to. */
function pathOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

/** Opens and closes a file. Resolves with the error. */
async function refusal(path: string, mode: OpenMode, makesFolders = false): Promise<unknown> {
  try {
    await (await openRegularFile({ root, path, mode, makesFolders })).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('openRegularFile', () => {
  it.each(MODES)('refuses links, folders and pipes with mode `%s` and names them', async (mode) => {
    const kinds = { link: 'link', dangling: 'link', zero: 'link', folder: 'folder', pipe: 'named pipe' };
    for (const [path, kind] of Object.entries(kinds)) {
      const error = await refusal(path, mode);
      if (mode === 'create') expect(error, path).toMatchObject({ code: 'EEXIST' });
      else {
        expect(error, path).toMatchObject({
          code: 'unsafe-path',
          message: expect.stringMatching(`${join(root, path)}.*${kind}`),
        });
      }
    }
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it.each(MODES)('refuses a link as a folder on the way with mode `%s`', async (mode) => {
    for (const path of ['linked-folder/secret', 'linked-folder/new', 'inner-link/plain', 'inner-link/a/b']) {
      expect(await refusal(path, mode, mode !== 'read'), path).toMatchObject({
        code: 'unsafe-path',
        message: expect.stringContaining('a symbolic link'),
      });
    }
    expect(() => statSync(join(outside, 'new'))).toThrow('ENOENT');
  });

  it('refuses a device and a socket', async () => {
    const device = { root: '/dev', path: 'zero', mode: 'read' as const };
    await expect(openRegularFile(device)).rejects.toMatchObject({
      code: 'unsafe-path',
      message: expect.stringContaining('a device'),
    });
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await refusal('socket', 'append')).toMatchObject({ message: expect.stringContaining('a socket') });
    server.close();
  });

  it('refuses a path that is not below the root', async () => {
    for (const path of ['../outside/secret', '/etc/passwd', '.', '', 'folder/../../outside/secret']) {
      expect(await refusal(path, 'overwrite'), path).toMatchObject({ code: 'unsafe-path' });
    }
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('writes through no hard link, and reads one', async () => {
    for (const mode of ['append', 'overwrite'] as const) {
      expect(await refusal('hard', mode)).toMatchObject({
        message: expect.stringContaining('several hard links'),
      });
    }
    expect(String(await readRegularFile({ root, path: 'hard', maxBytes: 10 }))).toBe('secret');
  });

  it('creates folders and files for the user alone, appends and overwrites', async () => {
    const path = join(root, 'made', 'deep', 'file');
    const options = { root, path, makesFolders: true };
    for (const [mode, text] of [
      ['create', 'one'],
      ['append', ' two'],
      ['overwrite', '3'],
      ['append', '4'],
    ] as const) {
      await using file = await openRegularFile({ ...options, mode });
      await file.writeFile(text);
    }
    expect(readFileSync(path, 'utf8')).toBe('34');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'made', 'deep')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['missing', 'read', join(root, 'missing')],
    ['folder/missing', 'read', join(root, 'folder', 'missing')],
    ['missing/deep/file', 'read', join(root, 'missing')],
    ['folder/plain', 'create', join(root, 'folder', 'plain')],
  ] as const)('names the path of `%s` with mode `%s`, and no descriptor', async (path, mode, shown) => {
    const error = await refusal(path, mode);
    expect(error).toMatchObject({ path: shown, message: expect.stringContaining(`'${shown}'`) });
    expect(String(error)).not.toContain('/proc/');
  });

  it('leaves no descriptor open after a refusal', async () => {
    const opened = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => pathOf(`/proc/self/fd/${fd}`).startsWith(base)).length;
    const before = opened();
    for (const path of ['link', 'linked-folder/secret', 'pipe', 'missing/file', 'folder']) {
      for (const mode of MODES) await refusal(path, mode);
    }
    expect(opened()).toBe(before);
  });
});

describe('readRegularFile', () => {
  it('returns undefined where a file or its folder is missing', async () => {
    expect(await readRegularFile({ root, path: 'missing', maxBytes: 1 })).toBeUndefined();
    expect(await readRegularFile({ root, path: 'missing/file', maxBytes: 1 })).toBeUndefined();
  });

  it('reads up to its bound and refuses more, also of a file without a size', async () => {
    expect(String(await readRegularFile({ root, path: 'folder/plain', maxBytes: 5 }))).toBe('plain');
    await expect(readRegularFile({ root, path: 'folder/plain', maxBytes: 4 })).rejects.toMatchObject({
      code: 'unsafe-path',
      message: expect.stringContaining('larger than 4 bytes'),
    });
    // A regular file of size 0 that still yields bytes.
    const endless = { root: '/proc', path: `${process.pid}/smaps`, maxBytes: 1000 };
    await expect(readRegularFile(endless)).rejects.toMatchObject({ code: 'unsafe-path' });
  });
});
