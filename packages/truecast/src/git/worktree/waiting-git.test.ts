/** Git calls that start before their input is known. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { CALL, cleanUp, newRepository, plainGit, temporaryFolder } from '../test-repository.ts';
import type { GitOptions } from '../command/git.ts';
import { waitingGit } from './delete-merged-branch.ts';

afterEach(cleanUp);

const MOVE = ['update-ref', '--stdin'];

function callIn(cwd: string): GitOptions {
  return { cwd, ...CALL };
}

it('starts one process, which waits for its input', async () => {
  const cwd = newRepository();
  const head = plainGit(cwd, 'rev-parse', 'HEAD');
  await using move = waitingGit(MOVE, callIn(cwd));
  move.start();
  move.start();
  expect((await move.run(`create refs/heads/new ${head}\n`)).exitCode).toBe(0);
  expect(plainGit(cwd, 'rev-parse', 'new')).toBe(head);
});

it('changes nothing without input, and has ended when it is disposed', async () => {
  const cwd = newRepository();
  const before = plainGit(cwd, 'for-each-ref');
  const pid = join(temporaryFolder(), 'pid');
  const move = waitingGit(
    ['-c', `alias.wait=!echo $$ > '${pid}'; git update-ref --stdin`, 'wait'],
    callIn(cwd),
  );
  move.start();
  await move[Symbol.asyncDispose]();
  expect(plainGit(cwd, 'for-each-ref')).toBe(before);
  expect(existsSync(`/proc/${readFileSync(pid, 'utf8').trim()}`)).toBe(false);
});

it('starts nothing that is not needed', async () => {
  const absent = waitingGit(MOVE, callIn('/absent'));
  await absent[Symbol.asyncDispose]();
  const needed = waitingGit(MOVE, callIn('/absent'));
  await expect(needed.run('')).rejects.toThrow('/absent');
});

it('counts its timeout from the input on', async () => {
  const cwd = newRepository();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await using move = waitingGit(MOVE, callIn(cwd));
    move.start();
    vi.advanceTimersByTime(10 * CALL.timeoutMs);
    expect((await move.run('create refs/heads/new HEAD\n')).exitCode).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
