/** Commands in a clone whose links lead out of it: nothing outside is written, removed or read. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryFolder, truecast } from './cli-fixture.ts';

let victim: string;
beforeEach(() => {
  victim = temporaryFolder();
  mkdirSync(join(victim, 'empty'));
  writeFileSync(join(victim, 'rc'), 'untouched');
});

/** A clone with links from their paths to their targets. */
async function clone(links: Readonly<Record<string, string>>): Promise<string> {
  const cwd = makeRepository();
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    symlinkSync(target, join(cwd, path));
  }
  await git(cwd, 'add', '-f', '-A');
  await git(cwd, 'commit', '-q', '-m', 'links');
  return cwd;
}

/** Everything that the user has outside of the clone. */
function outside(): readonly string[] {
  const names = readdirSync(victim, { recursive: true }).map(String).toSorted();
  return [...names, readFileSync(join(victim, 'rc'), 'utf8')];
}

const UNTOUCHED = ['empty', 'rc', 's.json', 'untouched'];

describe('`truecast init`', () => {
  it.each([
    ['.truecast', ''],
    ['.truecast', 'new'],
    ['.truecast/prompt.md', 'rc'],
    ['.truecast/agent.mts', 'new'],
    ['.truecast/.gitignore', 'new'],
  ])('writes nothing through a link at `%s` to `%s`', async (path, target) => {
    const cwd = await clone({ [path]: join(victim, target) });
    const { exitCode, stderr } = await truecast(cwd, 'init', '--yes', '--no-install');
    expect(outside()).toEqual(UNTOUCHED);
    expect(stderr).not.toMatch(/EEXIST|ENOENT|\bat \S+:\d+/u);
    if (path === '.truecast') expect(exitCode, stderr).not.toBe(0);
  });

  it('does not work in another repository that `--cwd` leads to by a link of the clone', async () => {
    const other = makeRepository();
    const cwd = await clone({ 'packages/a': other });
    const { exitCode, stderr } = await truecast(cwd, 'init', '--yes', '--cwd', 'packages/a');
    expect([exitCode, readdirSync(other)]).toEqual([1, ['.git']]);
    expect(stderr).toContain('a symbolic link');
  });
});

describe('`truecast clean`', () => {
  it.each(['.truecast', '.truecast/worktrees'])(
    'lists and removes nothing through a link at `%s`',
    async (path) => {
      mkdirSync(join(victim, 'worktrees/empty'), { recursive: true });
      const before = outside();
      const cwd = await clone({ [path]: victim });
      for (const flags of [[], ['--yes'], ['--yes', '--force-dirty', join(cwd, path, 'empty')]]) {
        const { stdout, stderr } = await truecast(cwd, 'clean', ...flags);
        expect(stdout).toBe('');
        expect(stderr).toContain(join(cwd, path));
      }
      expect(outside()).toEqual(before);
    },
  );

  it('does not clean another repository that `--cwd` leads to by a link of the clone', async () => {
    const cwd = await clone({ a: makeRepository() });
    const { exitCode, stderr } = await truecast(cwd, 'clean', '--cwd', 'a');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('a symbolic link')]);
  });
});

describe('a file that a command writes', () => {
  it.each([
    ['ensemble init', ['ensemble', 'init', 'out/new']],
    [
      'data export --output',
      ['data', 'export', 'anna', '--output', 'out/data', '--database-url', 'own.sqlite'],
    ],
    ['a database', ['token', 'list', '--database-url', 'out/new.sqlite']],
    ['a database at a link', ['token', 'list', '--database-url', 'new']],
  ])('is not written through a link of the clone: %s', async (_, args) => {
    const cwd = await clone({ out: victim, new: join(victim, 'new') });
    const { exitCode, stderr } = await truecast(cwd, ...args);
    expect([exitCode, stderr]).toEqual([
      expect.not.toBeOneOf([0]),
      expect.stringContaining('a symbolic link'),
    ]);
    expect(outside()).toEqual(UNTOUCHED);
  });
});

describe('an image file', () => {
  it.each([
    ['.truecast/Containerfile', '.truecast/Containerfile', []],
    ['.truecast', '.truecast', []],
    ['--dockerfile', 'out', ['--dockerfile', 'out/Containerfile']],
  ])('is not built through a link of the clone: %s', async (_, link, flags) => {
    writeFileSync(join(victim, 'Containerfile'), 'FROM scratch');
    const target = link.endsWith('file') ? join(victim, 'Containerfile') : victim;
    const cwd = await clone({ [link]: target });
    const { exitCode, stderr } = await truecast(cwd, 'podman', 'build-image', ...flags);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('a symbolic link')]);
  });
});

describe('a folder that a command reads', () => {
  it('is not read through a link of the clone: `ensemble --dir` and its default', async () => {
    mkdirSync(join(victim, 'agents'));
    const cwd = await clone({ ensembles: victim });
    for (const flags of [[], ['--dir', 'ensembles']]) {
      const { exitCode, stderr } = await truecast(cwd, 'ensemble', 'list', ...flags);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('a symbolic link')]);
    }
  });
});
