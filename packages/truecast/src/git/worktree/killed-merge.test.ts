/** A merge whose process, or whose git, is killed while it writes the user's checkout. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { cleanUp, newRepository, plainGit, write } from '../test-repository.ts';

afterEach(cleanUp);

const FILES = 40;

/** Each file takes time, so that the merge is in progress when its process is killed. */
function slowRepository(): string {
  const path = newRepository();
  plainGit(path, 'config', 'filter.slow.smudge', 'sleep 0.02; echo slow >&2; cat');
  plainGit(path, 'config', 'filter.slow.clean', 'cat');
  write(path, '.gitattributes', '*.slow filter=slow\n');
  plainGit(path, 'add', '-A');
  plainGit(path, 'commit', '--quiet', '-m', 'filter');
  return path;
}

const PROGRAM = `
  import { place, commit, write, plainGit, CALL } from ${JSON.stringify(join(import.meta.dirname, '../test-repository.ts'))};
  import { mergeToHead } from ${JSON.stringify(join(import.meta.dirname, 'merge.ts'))};
  const worktree = await place(process.argv[1]);
  for (let file = 0; file < ${FILES}; file += 1) write(worktree.path, 'f' + file + '.slow', 'x'.repeat(100) + file);
  plainGit(worktree.path, 'add', '-A');
  plainGit(worktree.path, 'commit', '--quiet', '-m', 'work');
  console.log(worktree.branch);
  await mergeToHead({ worktree, now: new Date(), onWarning: console.error, ...CALL });
  console.log('merged');`;

/** Returns true while a git merges in the repository. */
function isMerging(path: string): boolean {
  const listed = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return listed.split('\n').some((line) => line.includes(`--work-tree=${path} `) && line.includes(' merge '));
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await sleep(5);
}

test('is completed by git if only the process is killed, although filters print and progress is on', async () => {
  const path = slowRepository();
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GIT_PROGRESS_DELAY: '0' },
  });
  await until(() => existsSync(join(path, 'f1.slow')));
  expect(existsSync(join(path, `f${FILES - 1}.slow`))).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => !isMerging(path));
  expect(plainGit(path, 'log', '-1', '--format=%s')).toBe('work');
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
});
