/** Tests of whole patches in a real repository: git applies them, and no program of the worktree runs. */
import { ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { git, makeRepository, temporaryFolder } from '../../../../../test/run/fixture.ts';
import { openRepository } from '../repository/repository.ts';
import { patchOfCommits, patchOfWorktree } from './whole-patch.ts';

const LIMITS = { timeoutMs: 60_000, maxBytes: 1024 * 1024 };
/** Not UTF-8. */
const CAFE = Buffer.from('caf\u00E9\n', 'latin1');
const BINARY = Buffer.from([0, 1, 2, 0xff, 0, 13, 10]);

/** A repository with two worktrees at the same commit: one of an agent, and one that gets the patch. */
function makeWorld() {
  const cwd = makeRepository();
  writeFileSync(join(cwd, 'old.txt'), 'one\ntwo\nthree\n');
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-qm', 'old');
  const [agent, target] = [join(temporaryFolder(), 'agent'), join(temporaryFolder(), 'target')];
  git(cwd, 'worktree', 'add', '-q', '-b', 'work', agent);
  git(cwd, 'worktree', 'add', '-q', '--detach', target);
  const change = (): void => {
    writeFileSync(join(agent, 'old.txt'), 'one\n2\nthree\n');
    writeFileSync(join(agent, 'latin.txt'), CAFE);
    mkdirSync(join(agent, 'new folder'));
    writeFileSync(join(agent, 'new folder', 'bytes.bin'), BINARY);
    symlinkSync('old.txt', join(agent, 'link'));
  };
  const apply = (patch: Buffer | undefined): void => {
    execFileSync('git', ['apply', '--binary', '-'], { cwd: target, input: patch });
  };
  const expectApplied = (): void => {
    expect(readFileSync(join(target, 'latin.txt')).equals(CAFE)).toBe(true);
    expect(readFileSync(join(target, 'new folder', 'bytes.bin')).equals(BINARY)).toBe(true);
    expect(readFileSync(join(target, 'link'), 'utf8')).toBe('one\n2\nthree\n');
  };
  return { cwd, agent, change, apply, expectApplied };
}

it('git applies the patch of commits, whatever the settings of the user are', async () => {
  const { cwd, agent, change, apply, expectApplied } = makeWorld();
  for (const setting of ['diff.noprefix true', 'diff.renames copies', 'color.diff always']) {
    git(cwd, 'config', ...setting.split(' '));
  }
  const base = git(cwd, 'rev-parse', 'HEAD');
  change();
  git(agent, 'add', '.');
  git(agent, 'commit', '-qm', 'work');
  const tip = git(agent, 'rev-parse', 'HEAD');
  apply(await patchOfCommits({ base, tip }, { ...LIMITS, cwd }));
  expectApplied();
  expect(await patchOfCommits({ base, tip: base }, { ...LIMITS, cwd })).toHaveLength(0);
  expect(await patchOfCommits({ base, tip }, { ...LIMITS, maxBytes: 10, cwd })).toBeUndefined();
  expect(await patchOfCommits({ base, tip }, { ...LIMITS, maxBytes: 100, cwd })).toBeUndefined();
});

it.runIf(process.platform === 'linux')(
  'a patch of commits takes one program, which ends at the limit',
  async () => {
    const { cwd, agent, change } = makeWorld();
    const base = git(cwd, 'rev-parse', 'HEAD');
    change();
    // Bytes that cannot be compressed.
    writeFileSync(join(agent, 'large.bin'), randomBytes(4 * LIMITS.maxBytes));
    git(agent, 'add', '.');
    git(agent, 'commit', '-qm', 'work');
    const tip = git(agent, 'rev-parse', 'HEAD');
    const spawn = vi.spyOn(ChildProcess.prototype as unknown as { spawn: () => void }, 'spawn');
    onTestFinished(() => spawn.mockRestore());
    expect(
      await patchOfCommits({ base, tip }, { ...LIMITS, maxBytes: 8 * LIMITS.maxBytes, cwd }),
    ).toBeDefined();
    expect(spawn).toHaveBeenCalledTimes(1);
    expect(await patchOfCommits({ base, tip }, { ...LIMITS, cwd })).toBeUndefined();
    expect(spawn).toHaveBeenCalledTimes(2);
    const missing = 'f'.repeat(40);
    await expect(patchOfCommits({ base, tip: missing }, { ...LIMITS, cwd })).rejects.toThrow('diff-tree');
  },
);

it('git applies the patch of a worktree, which is staged, changed, new and deleted', async () => {
  const { cwd, agent, change, apply, expectApplied } = makeWorld();
  const repository = await openRepository(cwd, LIMITS);
  expect(await patchOfWorktree(agent, repository, LIMITS)).toHaveLength(0);
  change();
  git(agent, 'add', 'latin.txt');
  const ran = join(temporaryFolder(), 'ran');
  git(cwd, 'config', 'filter.own.clean', `touch '${ran}'; cat`);
  writeFileSync(join(agent, '.gitattributes'), '*.bin filter=own\n');
  writeFileSync(join(agent, '.gitignore'), 'ignored\n');
  writeFileSync(join(agent, 'ignored'), 'x');
  const objects = git(cwd, 'count-objects');
  const patch = await patchOfWorktree(agent, await openRepository(cwd, LIMITS), LIMITS);
  apply(patch);
  expectApplied();
  expect(patch?.includes('b/ignored')).toBe(false);
  expect([existsSync(ran), git(cwd, 'count-objects')]).toEqual([false, objects]);
  expect(git(agent, 'diff', '--cached', '--name-only')).toBe('latin.txt');
  rmSync(join(agent, 'old.txt'));
  expect((await patchOfWorktree(agent, repository, LIMITS))?.includes('deleted file mode')).toBe(true);
  expect(await patchOfWorktree(agent, repository, { ...LIMITS, maxBytes: 100 })).toBeUndefined();
  rmSync(agent, { recursive: true });
  expect(await patchOfWorktree(agent, repository, LIMITS)).toHaveLength(0);
});
