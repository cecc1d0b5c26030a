/** Checkouts whose process, or whose git, is killed while it writes them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { bundledHost } from '../../../../../test/bundled-host.ts';
import { matrixColumns } from '../../../../../test/matrix.ts';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { journaled, listUnfinished } from '../checkout/checkout-journal.ts';
import {
  CALL,
  cleanUp,
  commit,
  newRepository,
  open,
  place,
  plainGit,
  temporaryFolder,
  writeIn,
} from '../test-repository.ts';
import { recoverCheckouts } from './recover-checkouts.ts';

afterEach(cleanUp);

const HOST = await bundledHost(new URL('../../../../../test/run/checkout-host.ts', import.meta.url));
const FILES = 12;
const LAST = `f${FILES - 1}.slow`;

/** Each file takes time, so that a checkout is in progress when its process is killed. */
function slowRepository(): string {
  const path = newRepository();
  plainGit(path, 'config', 'filter.slow.smudge', 'sleep 0.08; echo slow >&2; exec cat');
  plainGit(path, 'config', 'filter.slow.clean', 'cat');
  writeIn(path, '.gitattributes', '*.slow filter=slow\n');
  writeIn(path, 'gone.txt', 'gone\n');
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '--quiet', '-m', 'filter');
  return path;
}

function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [HOST, ...args, String(FILES)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, GIT_PROGRESS_DELAY: '0' },
  });
}

/** Returns the ids of the gits that write a checkout of the repository. */
function gitsOf(path: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((name) => {
      const line = commandLineOf(name);
      return line.includes(`--work-tree=${path}`) && / (?:merge|add|reset) /u.test(line);
    })
    .map(Number);
}

/** A child of git has its words until it starts its own program, and belongs to the group of git. */
function isLeader(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2] === String(pid);
  } catch {
    return false;
  }
}

/** Returns the arguments of a process, and nothing for an ended one. */
function commandLineOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await sleep(5);
}

/** Kills a process, and the gits that it started. */
async function killWithGit(child: ChildProcess, path: string): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
  // With the gits and filters that they have started.
  for (const pid of gitsOf(path).filter(isLeader)) process.kill(-pid, 'SIGKILL');
  await until(() => gitsOf(path).length === 0);
}

async function recover(path: string): Promise<readonly string[]> {
  const warnings: string[] = [];
  await recoverCheckouts({ repository: await open(path), onWarning: (text) => warnings.push(text), ...CALL });
  return warnings;
}

function branches(path: string): readonly string[] {
  return plainGit(path, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
}

test('a merge is completed by git if only the process is killed, although filters print and progress is on', async () => {
  const path = slowRepository();
  const child = start('merge', path);
  await until(() => existsSync(join(path, 'f1.slow')));
  expect(existsSync(join(path, LAST))).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await recover(path)).toEqual([]);
  expect(gitsOf(path)).toEqual([]);
  expect(plainGit(path, 'log', '-1', '--format=%s')).toBe('work');
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
});

test.each(matrixColumns(1, ['merge', 'merge-diverged'], { rows: 2 }))(
  'a merge (%s) whose git is killed is undone by the next start, and no change of the user is lost',
  async (kind) => {
    const path = slowRepository();
    writeIn(path, '.gitattributes', '*.slow filter=slow\n# mine\n');
    const child = start(kind, path);
    await until(() => existsSync(join(path, 'f1.slow')));
    await killWithGit(child, path);
    expect(existsSync(join(path, LAST))).toBe(false);
    expect(existsSync(join(path, '.git', 'index.lock'))).toBe(true);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('agent\n');
    writeIn(path, 'f0.slow', 'mine\n');
    writeIn(path, 'untracked', 'mine too\n');
    const [warning = '', ...more] = await recover(path);
    expect(more).toEqual([]);
    expect(plainGit(path, 'status', '--porcelain')).toBe(' M .gitattributes\n?? f0.slow\n?? untracked');
    expect(readFileSync(join(path, 'f0.slow'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(path, '.git', 'MERGE_HEAD'))).toBe(false);
    const branch = /`git merge (truecast\/[^`]+)`/u.exec(warning)?.[1] ?? '';
    expect(plainGit(path, 'log', '-1', '--format=%s', branch)).toBe('work');
    expect(await recover(path)).toEqual([]);
  },
);

test('a fast-forward of a reused worktree whose git is killed is undone by the next start, which repeats it', async () => {
  const path = slowRepository();
  const origin = join(temporaryFolder(), 'origin');
  plainGit(path, 'clone', '--quiet', '--bare', path, origin);
  plainGit(path, 'remote', 'add', 'origin', origin);
  const first = await place(path, { branchStrategy: { type: 'branch', branch: 'topic' } });
  commit(first.path, 'own.txt', 'own\n');
  plainGit(first.path, 'push', '--quiet', 'origin', 'topic');
  await first.lock.release();
  const other = join(temporaryFolder(), 'other');
  plainGit(path, 'clone', '--quiet', '--branch', 'topic', origin, other);
  for (let file = 0; file < FILES; file += 1) writeIn(other, `f${file}.slow`, 'x'.repeat(100) + file);
  writeIn(other, 'own.txt', 'theirs\n');
  plainGit(other, 'add', '-A');
  plainGit(other, 'commit', '--quiet', '-m', 'theirs');
  plainGit(other, 'push', '--quiet', 'origin', 'topic');
  const child = start('add', path);
  await until(() => existsSync(join(first.path, 'f1.slow')));
  await killWithGit(child, first.path);
  expect(existsSync(join(first.path, LAST))).toBe(false);
  writeIn(first.path, 'untracked', 'mine\n');
  const [warning = '', ...more] = await recover(path);
  expect(more).toEqual([]);
  expect(warning).toContain('`topic`');
  expect(plainGit(first.path, 'status', '--porcelain')).toBe('?? untracked');
  expect(readFileSync(join(first.path, 'own.txt'), 'utf8')).toBe('own\n');
  rmSync(join(first.path, 'untracked'));
  const again = await place(path, { branchStrategy: { type: 'branch', branch: 'topic' } });
  expect(plainGit(again.path, 'log', '-1', '--format=%s')).toBe('theirs');
  expect(plainGit(again.path, 'status', '--porcelain')).toBe('');
});

test('a merge that cannot be undone stays in the journal', async () => {
  const path = slowRepository();
  const commonDir = join(path, '.git');
  const sha = plainGit(path, 'rev-parse', 'HEAD');
  const checkout = { path, branch: 'main', from: sha, to: sha, tip: sha, isNewBranch: false } as const;
  const failure = new RepositoryError('The undo failed.', { code: 'git-failed' });
  const fail = (kind: 'merge' | 'add', pid?: number): Promise<never> =>
    journaled(commonDir, { kind, ...checkout }, (onSpawn) => {
      if (pid !== undefined) onSpawn(pid);
      return Promise.reject(failure);
    });
  await expect(fail('add', process.pid)).rejects.toBe(failure);
  await expect(fail('merge')).rejects.toBe(failure);
  expect(listUnfinished(commonDir)).toEqual([]);
  await expect(fail('merge', process.pid)).rejects.toBe(failure);
  expect(listUnfinished(commonDir)).toMatchObject([{ kind: 'merge', isAbandoned: true }]);
});

test('a worktree whose git is killed is removed by the next start, which begins the branch again', async () => {
  const path = slowRepository();
  for (let file = 0; file < FILES; file += 1) writeIn(path, `f${file}.slow`, `${file}\n`);
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '--quiet', '-m', 'files');
  const folder = join(path, '.truecast', 'worktrees');
  const child = start('add', path);
  const isStarted = (): boolean =>
    existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, 'f1.slow')));
  await until(isStarted);
  await killWithGit(child, path);
  expect(await recover(path)).toEqual([expect.stringContaining('no agent had worked in it')]);
  expect(readdirSync(folder)).toEqual(['.gitignore']);
  expect(plainGit(path, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(branches(path)).toEqual(['main']);
  const worktree = await place(path, { branchStrategy: { type: 'branch', branch: 'topic' } });
  expect(plainGit(worktree.path, 'status', '--porcelain')).toBe('');
});

test('a worktree of a large index whose `reset --hard` is killed is removed by the next start', async () => {
  const path = slowRepository();
  for (let file = 0; file < FILES; file += 1) writeIn(path, `f${file}.slow`, `${file}\n`);
  // Over a mebibyte of names. Sorted after the slow files.
  const deep = Array.from({ length: 14 }, (_, level) => `z${level}${'x'.repeat(200)}`).join('/');
  for (let file = 0; file < 400; file += 1) writeIn(path, `${deep}/${file}`, '');
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '--quiet', '-m', 'files');
  const folder = join(path, '.truecast', 'worktrees');
  const child = start('add', path);
  await until(
    () => existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, 'f1.slow'))),
  );
  expect(gitsOf(path).map(commandLineOf).join('\n')).toContain('reset --hard');
  await killWithGit(child, path);
  expect(await recover(path)).toEqual([expect.stringContaining('no agent had worked in it')]);
  expect(readdirSync(folder)).toEqual(['.gitignore']);
  expect(branches(path)).toEqual(['main']);
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
});

test('a worktree that git refuses to add leaves nothing to restore, and no branch is deleted', async () => {
  const path = slowRepository();
  plainGit(path, 'branch', 'taken');
  plainGit(path, 'pack-refs', '--all');
  await place(path, { branchStrategy: { type: 'branch', branch: 'taken' } });
  expect(await recover(path)).toEqual([]);
  await expect(place(path, { branchStrategy: { type: 'branch', branch: 'main' } })).rejects.toMatchObject({
    code: 'branch-in-use',
  });
  expect(await recover(path)).toEqual([]);
  expect(branches(path)).toEqual(['main', 'taken']);
});

test('a worktree whose git is stopped by an abort is removed by the next start', async () => {
  const path = slowRepository();
  for (let file = 0; file < FILES; file += 1) writeIn(path, `f${file}.slow`, `${file}\n`);
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '--quiet', '-m', 'files');
  const stop = new AbortController();
  const placing = place(path, { branchStrategy: { type: 'branch', branch: 'topic' }, signal: stop.signal });
  const folder = join(path, '.truecast', 'worktrees');
  await until(
    () => existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, 'f1.slow'))),
  );
  stop.abort(new RangeError('enough'));
  await expect(placing).rejects.toThrow('enough');
  await recover(path);
  expect(readdirSync(folder)).toEqual(['.gitignore']);
  expect(branches(path)).toEqual(['main']);
});

test('a worktree whose git is killed is kept if it contains a file of the user', async () => {
  const path = slowRepository();
  for (let file = 0; file < FILES; file += 1) writeIn(path, `f${file}.slow`, `${file}\n`);
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '--quiet', '-m', 'files');
  const folder = join(path, '.truecast', 'worktrees');
  const child = start('add', path);
  const placeOf = (): string => {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return join(folder, names.find((name) => name.startsWith('topic')) ?? 'none');
  };
  await until(() => existsSync(join(placeOf(), 'f1.slow')));
  await killWithGit(child, path);
  writeIn(placeOf(), 'mine', 'mine\n');
  writeIn(placeOf(), 'f0.slow', 'mine\n');
  expect(await recover(path)).toEqual([expect.stringMatching(/is kept.*`f0\.slow`.*`mine`/u)]);
  expect(readFileSync(join(placeOf(), 'mine'), 'utf8')).toBe('mine\n');
});
