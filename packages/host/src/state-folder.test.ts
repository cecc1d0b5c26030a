import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureStateFolder, repositoryStateFolder, stateFolderOf } from './state-folder.ts';
import { stateHome } from './state-home.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-host-')));
const git = (cwd: string, ...args: readonly string[]): void => void execFileSync('git', args, { cwd });
const saved = process.env['XDG_STATE_HOME'];

beforeEach(() => void (process.env['XDG_STATE_HOME'] = join(base, 'state')));
afterEach(() => void (process.env['XDG_STATE_HOME'] = saved));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the state directory', () => {
  it('follows an absolute XDG_STATE_HOME and ignores a relative one', () => {
    expect(stateHome({ XDG_STATE_HOME: '/a/b', HOME: '/home/me' })).toBe('/a/b/truecast');
    for (const given of ['relative', '', undefined]) {
      expect(stateHome({ XDG_STATE_HOME: given, HOME: '/home/me' })).toBe('/home/me/.local/state/truecast');
    }
    expect(stateHome({})).toBe(join(homedir(), '.local/state/truecast'));
  });

  it('names XDG_STATE_HOME where it cannot be found or written', () => {
    const expected = { code: 'no-state-folder', message: expect.stringContaining('Set `XDG_STATE_HOME`') };
    expect(() => stateHome({ HOME: 'relative' })).toThrow(expect.objectContaining(expected));
    writeFileSync(join(base, 'file'), '');
    process.env['XDG_STATE_HOME'] = join(base, 'file');
    expect(() => ensureStateFolder(stateFolderOf(base))).toThrow(expect.objectContaining(expected));
  });

  it('is for this user alone and ignored by git', () => {
    mkdirSync(join(base, 'state', 'truecast'), { recursive: true });
    chmodSync(join(base, 'state', 'truecast'), 0o755);
    const folder = ensureStateFolder(stateFolderOf(base), 'logs');
    for (const path of [folder, join(folder, '..'), join(folder, '../..')]) {
      expect(statSync(path).mode & 0o777).toBe(0o700);
    }
    expect(readFileSync(join(stateHome(), '.gitignore'), 'utf8')).toBe('*\n');
    ensureStateFolder(stateFolderOf(base), 'logs');
    expect(readFileSync(join(stateHome(), '.gitignore'), 'utf8')).toBe('*\n');
  });
});

describe('the state folder', () => {
  const repository = join(base, 'my project');
  mkdirSync(join(repository, 'packages', 'one'), { recursive: true });
  git(repository, 'init', '-q');
  git(repository, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'a');
  git(repository, 'worktree', 'add', '-q', join(base, 'linked'));

  it('is one for all folders and worktrees of a repository, also through a link', () => {
    symlinkSync(repository, join(base, 'other-name'));
    const expected = repositoryStateFolder(join(repository, '.git'));
    expect(basename(expected)).toMatch(/^my-project-[0-9a-f]{12}$/u);
    const folders = [
      repository,
      join(repository, 'packages/one'),
      join(base, 'linked'),
      join(base, 'other-name'),
    ];
    for (const folder of folders) expect(stateFolderOf(folder), folder).toBe(expected);
  });

  it('differs between repositories of one name, and outside of any belongs to the folder', () => {
    const paths = ['a/same', 'b/same', 'c/same/inner'].map((path) => join(base, path));
    for (const path of paths) mkdirSync(path, { recursive: true });
    const own = join(base, 'a/same');
    git(own, 'init', '-q');
    const names = paths.map((path) => basename(stateFolderOf(path)));
    expect(new Set(names).size).toBe(3);
    expect(names.map((name) => name.replace(/-[0-9a-f]{12}$/u, ''))).toEqual(['same', 'same', 'inner']);
  });

  it('is not moved by a `.git` that is a pipe, a huge file or an empty folder', () => {
    const [pipe, huge, empty] = ['pipe', 'huge', 'empty'].map((name) => join(base, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [pipe, huge, empty]) mkdirSync(path);
    execFileSync('mkfifo', [join(pipe, '.git')]);
    writeFileSync(join(huge, '.git'), `gitdir: ${'x'.repeat(20_000)}`);
    mkdirSync(join(empty, '.git'));
    for (const path of [pipe, huge, empty]) {
      expect(basename(stateFolderOf(path))).toMatch(/^(?:pipe|huge|empty)-/u);
    }
  });
});
