/** Git calls that one shell starts, and that wait for their input. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { CALL, cleanUp, newRepository, plainGit, temporaryFolder } from '../test-repository.ts';
import type { GroupedCall } from './git-group-script.ts';
import { gitGroup } from './git-group.ts';

afterEach(cleanUp);

function callsIn(cwd: string): readonly GroupedCall[] {
  const options = { cwd, ...CALL };
  return [
    { name: 'list', args: ['rev-list', '--stdin'], options, hasOutput: true },
    { name: 'show', args: ['rev-parse'], options, hasOutput: true, takesArgument: true },
    { name: 'move', args: ['update-ref', '--stdin'], options },
  ];
}

it('answers each call with its own output, however late its input comes', async () => {
  const cwd = newRepository();
  const head = plainGit(cwd, 'rev-parse', 'HEAD');
  await using group = gitGroup(temporaryFolder(), callsIn(cwd));
  group.start();
  group.start();
  expect(await group.call('list').run('HEAD\n')).toEqual({ exitCode: 0, stdout: `${head}\n`, stderr: '' });
  plainGit(cwd, 'branch', 'later');
  expect((await group.call('show').run('later\n')).stdout).toBe(`${head}\n`);
  expect((await group.call('move').run(`create refs/heads/new ${head}\n`)).exitCode).toBe(0);
  expect(plainGit(cwd, 'rev-parse', 'new')).toBe(head);
});

it('changes nothing without input, and its calls have ended when it is disposed', async () => {
  const cwd = newRepository();
  const before = plainGit(cwd, 'for-each-ref');
  const folder = temporaryFolder();
  const pid = join(folder, 'pid');
  const args = ['-c', `alias.wait=!echo $$ > '${pid}'; git update-ref --stdin`, 'wait'];
  const group = gitGroup(folder, [...callsIn(cwd), { name: 'wait', args, options: { cwd, ...CALL } }]);
  group.start();
  await group[Symbol.asyncDispose]();
  group.start();
  expect(plainGit(cwd, 'for-each-ref')).toBe(before);
  expect(existsSync(`/proc/${readFileSync(pid, 'utf8').trim()}`)).toBe(false);
});

it('starts nothing that is not needed', async () => {
  const folder = temporaryFolder();
  await gitGroup(folder, callsIn(newRepository()))[Symbol.asyncDispose]();
  expect(existsSync(join(folder, 'git-errors'))).toBe(false);
});

it('returns the message of a call that fails', async () => {
  await using group = gitGroup(temporaryFolder(), callsIn(newRepository()));
  const failed = await group.call('move').run('create refs/heads/new absent\n');
  expect(failed.exitCode).toBe(128);
  expect(failed.stderr).toContain('absent');
});

it.each(['check', 'tip'])('repeats `%s` while another process removes a worktree', async (name) => {
  const cwd = newRepository();
  const head = plainGit(cwd, 'rev-parse', 'HEAD');
  const worktree = join(cwd, '.git/worktrees/old');
  mkdirSync(worktree, { recursive: true });
  writeFileSync(join(worktree, 'gitdir'), `${cwd}/old/.git\n`);
  writeFileSync(join(worktree, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(worktree, 'commondir'), '../gone/../..\n');
  let repeated = 0;
  const onSpawn = (): void => {
    repeated += 1;
    if (repeated === 2) rmSync(worktree, { recursive: true });
  };
  const options = { cwd, ...CALL, onSpawn };
  await using group = gitGroup(temporaryFolder(), [
    { name: 'check', args: ['rev-list', '--stdin', '--all'], options, hasOutput: true },
    { name: 'tip', args: ['rev-list', '--stdin', '--all'], options, hasOutput: true, takesArgument: true },
  ]);
  expect(await group.call(name).run('HEAD\n')).toEqual({ exitCode: 0, stdout: `${head}\n`, stderr: '' });
  expect(repeated).toBeGreaterThan(1);
});

it('runs each call in its own folder, with its own environment', async () => {
  const [one, two] = [newRepository(), newRepository()];
  const folder = temporaryFolder();
  const objects = join(folder, "it's");
  mkdirSync(objects);
  const write: GroupedCall = {
    name: 'write',
    args: ['hash-object', '-w', '--stdin'],
    options: { cwd: two, ...CALL, objects: { folder: objects, alternate: join(two, '.git', 'objects') } },
    hasOutput: true,
  };
  await using group = gitGroup(folder, [...callsIn(one), write]);
  const id = (await group.call('write').run('text')).stdout.trim();
  expect(existsSync(join(objects, id.slice(0, 2), id.slice(2)))).toBe(true);
  expect((await group.call('show').run(`${id}^{blob}\n`)).exitCode).toBe(128);
});

it.runIf(process.platform === 'linux')('limits the memory of one call only', async () => {
  const options = { cwd: newRepository(), ...CALL };
  const args = ['-c', 'alias.limit=!ulimit -d', 'limit'];
  const limited = { ...options, maxMemoryBytes: 1024 ** 3 };
  await using group = gitGroup(temporaryFolder(), [
    { name: 'limited', args, options: limited, hasOutput: true },
    { name: 'free', args, options, hasOutput: true },
  ]);
  expect((await group.call('limited').run('')).stdout).toBe('1048576\n');
  expect((await group.call('free').run('')).stdout).not.toBe('1048576\n');
});

it('accepts more data than a call reads', async () => {
  await using group = gitGroup(temporaryFolder(), callsIn(newRepository()));
  await group.call('list').write(Buffer.from('absent\n'));
  for (let index = 0; index < 100; index += 1) await group.call('list').write(Buffer.alloc(64 * 1024, 'a'));
  expect((await group.call('list').run('')).exitCode).toBe(128);
});

it('ends with the reason of the signal', async () => {
  const cwd = newRepository();
  const controller = new AbortController();
  const wait: GroupedCall = {
    name: 'wait',
    args: ['-c', 'alias.wait=!sleep 60', 'wait'],
    options: { cwd, ...CALL, signal: controller.signal },
  };
  await using group = gitGroup(temporaryFolder(), [wait]);
  const waiting = group.call('wait').run('');
  const reason = new RangeError('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('counts the timeout of a call from its input on', async () => {
  const cwd = newRepository();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await using group = gitGroup(temporaryFolder(), [
      ...callsIn(cwd),
      { name: 'wait', args: ['-c', 'alias.wait=!sleep 60', 'wait'], options: { cwd, ...CALL } },
    ]);
    group.start();
    vi.advanceTimersByTime(10 * CALL.timeoutMs);
    expect((await group.call('move').run('create refs/heads/new HEAD\n')).exitCode).toBe(0);
    const waiting = group.call('wait').run('');
    vi.advanceTimersByTime(CALL.timeoutMs);
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
  } finally {
    vi.useRealTimers();
  }
});

it('reports a shell that cannot be started', async () => {
  const group = gitGroup('/absent', callsIn(newRepository()));
  await expect(group.call('list').run('')).rejects.toMatchObject({ code: 'git-failed' });
  await group[Symbol.asyncDispose]();
});
