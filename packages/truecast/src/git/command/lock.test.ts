import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { bundledHost } from '../../../../../test/bundled-host.ts';
import { acquireLock, readLockHolder, withLock, type Lock, type LockOptions } from './lock.ts';
import { cleanUp, temporaryFolder, writeIn } from '../test-repository.ts';

const HOST = await bundledHost(new URL('../../../../../test/run/lock-host.ts', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  cleanUp();
});

function options(commonDir: string, key = 'checkout:x'): LockOptions {
  return {
    commonDir,
    key,
    subject: 'The branch `x`',
    command: 'test run',
    now: new Date('2026-01-02T03:04:05Z'),
  };
}

function locksIn(commonDir: string): string[] {
  return readdirSync(join(commonDir, 'truecast', 'locks'));
}

/** Starts a process that adds ten to the number in a file, each time with the lock. Without a file it holds the lock. */
function startProcess(commonDir: string, ...counter: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [HOST, JSON.stringify(options(commonDir)), ...counter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function holdElsewhere(commonDir: string): Promise<ChildProcess> {
  const child = startProcess(commonDir);
  await once(child.stdout!, 'data');
  return child;
}

test('refuses a second holder, and names the first and its start', async () => {
  const commonDir = temporaryFolder();
  const lock = await acquireLock(options(commonDir));
  await expect(acquireLock(options(commonDir))).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringMatching(new RegExp(`process ${process.pid} on .* since 2026-01-02T03:04:05`, 'u')),
  });
  await lock.release();
});

test('is free again after release, which may be called twice and leaves no file', async () => {
  const commonDir = temporaryFolder();
  const lock = await acquireLock(options(commonDir));
  await lock.release();
  const second = await acquireLock(options(commonDir));
  await lock.release();
  expect(await readLockHolder(options(commonDir))).toMatchObject({ pid: process.pid });
  await second.release();
  expect(locksIn(commonDir)).toEqual([]);
});

test('keeps different keys apart, also where their readable parts are the same', async () => {
  const commonDir = temporaryFolder();
  const locks = await Promise.all(
    ['a/b', 'a-b', 'c/b', 'B'].map((key) => acquireLock(options(commonDir, key))),
  );
  expect(new Set(locks.map(({ path }) => path)).size).toBe(4);
  await Promise.all(locks.map((lock) => lock.release()));
});

test('refuses while another process holds it, and takes over when that was killed', async () => {
  const commonDir = temporaryFolder();
  const holder = await holdElsewhere(commonDir);
  await expect(acquireLock(options(commonDir))).rejects.toThrow(`process ${holder.pid}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = await acquireLock(options(commonDir));
  await lock.release();
  expect(locksIn(commonDir)).toEqual([]);
});

async function plantHolder(commonDir: string, change: Record<string, unknown>): Promise<void> {
  const lock = await acquireLock(options(commonDir));
  const holder: unknown = JSON.parse(readFileSync(lock.path, 'utf8'));
  await lock.release();
  writeFileSync(lock.path, JSON.stringify({ ...(holder as object), ...change }));
}

test.each([
  ['its process id was given to a later process', { processStartTime: '1' }],
  ['the machine was booted since', { bootId: 'another boot' }],
])('takes over when %s', async (_why, change) => {
  const commonDir = temporaryFolder();
  await plantHolder(commonDir, change);
  await (await acquireLock(options(commonDir))).release();
});

test.each([
  ['on another host', { host: 'elsewhere', pid: 999_999_999 }],
  ['in another container', { pidNamespace: 'pid:[1]', pid: 999_999_999 }],
])('does not take over from a holder %s, whose process cannot be seen', async (_where, change) => {
  const commonDir = temporaryFolder();
  await plantHolder(commonDir, change);
  await expect(acquireLock(options(commonDir))).rejects.toMatchObject({ code: 'locked' });
});

test('takes over a file that a crash left empty', async () => {
  const commonDir = temporaryFolder();
  const lock = await acquireLock(options(commonDir));
  writeFileSync(lock.path, '');
  await (await acquireLock(options(commonDir))).release();
});

test('lets exactly one of many takers have a dead holder’s lock', async () => {
  for (let round = 0; round < 40; round += 1) {
    const commonDir = temporaryFolder();
    await plantHolder(commonDir, { bootId: 'another boot' });
    const take = async (delay: number): Promise<Lock> => {
      // Delayed differently, so that one process reads the dead holder while another already has
      // the lock.
      for (let turn = 0; turn < delay; turn += 1) await new Promise(setImmediate);
      return acquireLock(options(commonDir));
    };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, number) => take((number * (round + 1)) % 23)),
    );
    const taken = outcomes.filter(
      (outcome): outcome is PromiseFulfilledResult<Lock> => outcome.status === 'fulfilled',
    );
    expect(taken).toHaveLength(1);
    await taken[0]!.value.release();
    expect(locksIn(commonDir)).toEqual([]);
  }
});

test('lets one at a time of many processes work, beginning with a dead holder’s lock', async () => {
  const commonDir = temporaryFolder();
  const counter = join(commonDir, 'counter');
  writeFileSync(counter, '0');
  await plantHolder(commonDir, { bootId: 'another boot' });
  const workers = Array.from({ length: 4 }, () => startProcess(commonDir, counter));
  const codes = await Promise.all(workers.map(async (worker) => (await once(worker, 'exit'))[0] as unknown));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readFileSync(counter, 'utf8')).toBe('40');
});

test('stops waiting at the bound, and at the signal with its reason', async () => {
  const commonDir = temporaryFolder();
  const lock = await acquireLock(options(commonDir));
  const work = async (): Promise<never> => expect.fail('ran');
  await expect(withLock({ ...options(commonDir), waitMs: 1 }, work)).rejects.toMatchObject({
    code: 'locked',
  });
  const reason = new DOMException('enough');
  const waiting = withLock(
    { ...options(commonDir), waitMs: 60_000, signal: AbortSignal.abort(reason) },
    work,
  );
  await expect(waiting).rejects.toBe(reason);
  await lock.release();
});

test('is released when the work fails', async () => {
  const commonDir = temporaryFolder();
  const failure = { no: 'luck' };
  await expect(withLock({ ...options(commonDir), waitMs: 0 }, () => Promise.reject(failure))).rejects.toBe(
    failure,
  );
  expect(locksIn(commonDir)).toEqual([]);
});

test('leaves a lock that someone else took after the file was deleted by hand', async () => {
  const commonDir = temporaryFolder();
  const lock = await acquireLock(options(commonDir));
  writeIn('/', lock.path, readFileSync(lock.path, 'utf8').replace(/"nonce":"\w+"/u, '"nonce":"other"'));
  await lock.release();
  expect(locksIn(commonDir)).toHaveLength(1);
});

test('a process that waits long asks rarely, and writes nothing', async () => {
  const commonDir = temporaryFolder();
  const holder = await holdElsewhere(commonDir);
  const written: string[] = [];
  const watcher = watch(join(commonDir, 'truecast', 'locks'), (_event, name) => written.push(name ?? ''));
  const pauses = vi.spyOn(Math, 'random');
  try {
    const waiting = withLock({ ...options(commonDir), waitMs: 60_000 }, () => Promise.resolve('ran'));
    await sleep(2_000);
    expect(written).toEqual([]);
    expect(pauses.mock.calls.length).toBeLessThan(30);
    holder.kill('SIGKILL');
    expect(await waiting).toBe('ran');
  } finally {
    watcher.close();
    pauses.mockRestore();
  }
});
