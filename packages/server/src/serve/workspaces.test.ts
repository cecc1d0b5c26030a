import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openWorkspaces } from './workspaces.ts';

const MINUTE_MS = 60_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truecast-workspaces-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

it('keeps a sandbox for its own idle time, whatever became of one that could not start before it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const workspaces = await openWorkspaces({ sandbox: 'none', folder });
  // A file in place of the chat's folder.
  await writeFile(join(folder, 'chat-1'), '');
  await expect(workspaces.open('chat-1')).rejects.toThrow('EEXIST');
  await rm(join(folder, 'chat-1'));
  await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
  const place = await workspaces.open('chat-1');
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  vi.useRealTimers();
  const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
  expect((await place.exec('echo there', options)).stdout).toBe('there\n');
  await workspaces.close();
});
