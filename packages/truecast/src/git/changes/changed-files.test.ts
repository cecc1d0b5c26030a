/** Changes of commits in a real repository: hostile names and contents, limits, and renames. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALL, cleanUp, newRepository, plainGit } from '../test-repository.ts';
import { CHANGE_LIMITS, readChangedFiles, type ChangedFile, type ChangeLimits } from './changed-files.ts';
import { rangeOfCommit, rangeOfCommits, readCommitFacts, type CommitFacts } from './commit-facts.ts';

let cwd: string;
let commits: readonly CommitFacts[];

const LINES = Array.from({ length: 12 }, (_, index) => (index === 4 ? '' : `line ${index + 1}`));
const NAME = 'src/a "b"\n@@ -1 +1 @@\n+faked ä.ts';

function write(path: string, content: string | Buffer): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), content);
}

function commit(message: string): string {
  plainGit(cwd, 'add', '--all');
  plainGit(cwd, 'commit', '--quiet', '--message', message);
  return plainGit(cwd, 'rev-parse', 'HEAD');
}

beforeAll(async () => {
  cwd = newRepository();
  write('moved.txt', LINES.join('\n'));
  write('edited.txt', `${LINES.join('\n')}\n`);
  write('kind', 'a file\n');
  const base = commit('base');
  // Programs and attributes of the agent must change nothing.
  write('.gitattributes', '* diff=evil\n*.txt -diff\n');
  plainGit(cwd, 'config', 'diff.evil.command', 'false');
  plainGit(cwd, 'config', 'diff.evil.textconv', 'false');
  plainGit(cwd, 'config', 'diff.suppressBlankEmpty', 'true');
  write('edited.txt', `${LINES.join('\n').replace('line 6', 'line six\n\ndiff --git a/x b/x')}\n`);
  const first = commit('Edit <b>one</b> file\n\nWith a body.');
  rmSync(join(cwd, 'moved.txt'));
  write('src/moved.txt', LINES.join('\n').replace('line 2', 'line two'));
  write(NAME, '--- a/x\n+++ b/x\n');
  write('binary.dat', Buffer.from([65, 0, 66, 10]));
  write('large.txt', 'x'.repeat(600 * 1024));
  write('long.txt', `${'y'.repeat(2_000)}\n`);
  rmSync(join(cwd, 'kind'));
  symlinkSync('/etc/passwd', join(cwd, 'kind'));
  write('tool.sh', 'true\n');
  chmodSync(join(cwd, 'tool.sh'), 0o755);
  const second = commit('Second');
  commits = await readCommitFacts([base, first, 'HEAD', '--all', second, 'f'.repeat(40)], { cwd, ...CALL });
});
afterAll(cleanUp);

const changes = async (limits?: Partial<ChangeLimits>): Promise<readonly ChangedFile[]> => {
  const range = rangeOfCommits(commits.slice(1));
  if (range === undefined) throw new Error('no commits');
  return (await readChangedFiles(range, { cwd, ...CALL }, { ...CHANGE_LIMITS, ...limits })).files;
};
const named = (files: readonly ChangedFile[], path: string): ChangedFile | undefined =>
  files.find((file) => file.path === path);

it('reads the commits that are there, and none by another name', () => {
  expect(commits.map(({ subject, added, removed }) => [subject, added, removed])).toEqual([
    ['base', 1, 0],
    ['Edit <b>one</b> file', 2, 0],
    ['Second', 4, 1],
  ]);
});

it('reads nothing without a commit that is there', async () => {
  expect(await readCommitFacts(['f'.repeat(40)], { cwd, ...CALL })).toEqual([]);
});

it('keeps each line in its file, whatever names and contents look like', async () => {
  const files = await changes();
  expect(files.map(({ path }) => path)).toEqual([
    '.gitattributes',
    'binary.dat',
    'edited.txt',
    'kind',
    'large.txt',
    'long.txt',
    NAME,
    'src/moved.txt',
    'tool.sh',
  ]);
  expect(named(files, NAME)).toMatchObject({
    change: 'added',
    hunks: [{ newStart: 1, lines: ['+--- a/x', '++++ b/x'] }],
  });
  expect(named(files, 'edited.txt')).toMatchObject({
    added: 3,
    removed: 1,
    hunks: [
      {
        oldStart: 3,
        newStart: 3,
        lines: [
          ' line 3',
          ' line 4',
          ' ',
          '-line 6',
          '+line six',
          '+',
          '+diff --git a/x b/x',
          ' line 7',
          ' line 8',
          ' line 9',
        ],
      },
    ],
  });
});

it('shows a renamed file by its changed lines, and a new kind of file by both', async () => {
  const files = await changes();
  expect(named(files, 'src/moved.txt')).toMatchObject({
    change: 'renamed',
    oldPath: 'moved.txt',
    added: 1,
    removed: 1,
  });
  expect(named(files, 'kind')).toMatchObject({
    modes: { old: '100644', new: '120000' },
    hunks: [{ lines: ['-a file'] }, { lines: ['+/etc/passwd', String.raw`\ No newline at end of file`] }],
  });
  expect(named(files, 'tool.sh')?.hunks[0]?.lines).toEqual(['+true']);
});

it('shows large and binary files by their size, and cuts long lines', async () => {
  const files = await changes();
  expect(named(files, 'large.txt')).toMatchObject({ newBytes: 600 * 1024, hunks: [], omitted: 'large' });
  expect(named(files, 'binary.dat')).toMatchObject({ newBytes: 4, hunks: [], omitted: 'binary' });
  expect(named(files, 'binary.dat')?.added).toBeUndefined();
  expect(named(files, 'long.txt')?.hunks[0]?.lines[0]).toHaveLength(501);
});

it('counts all lines of a file and leaves out those beyond the limits', async () => {
  const files = await changes({ fileLines: 4, totalLines: 12, totalBytes: 700 });
  expect(named(files, 'edited.txt')).toMatchObject({ added: 3, removed: 1, omittedLines: 6 });
  const shown = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
  expect(shown).toHaveLength(12);
  expect(named(files, 'long.txt')).toMatchObject({ omitted: 'limit', hunks: [] });
  const range = rangeOfCommits(commits.slice(1)) ?? { base: '', tip: '' };
  const few = await readChangedFiles(range, { cwd, ...CALL }, { ...CHANGE_LIMITS, files: 2 });
  expect([few.files.length, few.omittedFiles]).toEqual([2, 8]);
});

it('shows one commit against its parent, and the first one of a repository against nothing', async () => {
  const [base, first] = commits;
  if (base === undefined || first === undefined) throw new Error('no commits');
  const one = await readChangedFiles(rangeOfCommit(first), { cwd, ...CALL });
  expect(one.files.map(({ path }) => path)).toEqual(['.gitattributes', 'edited.txt']);
  const root = await readCommitFacts(base.parents, { cwd, ...CALL });
  expect(rangeOfCommit(root[0] ?? base).base).toMatch(/^4b825dc/u);
  expect((await readChangedFiles(rangeOfCommit(root[0] ?? base), { cwd, ...CALL })).files).not.toEqual([]);
});

it('takes no commit of a branch that was merged into the work', () => {
  const of = (id: string, ...parents: readonly string[]): Pick<CommitFacts, 'id' | 'parents'> => ({
    id,
    parents,
  });
  const range = rangeOfCommits([of('side', 'old'), of('one', 'base'), of('tip', 'one', 'side')]);
  expect(range).toEqual({ base: 'base', tip: 'tip' });
  expect(rangeOfCommits([])).toBeUndefined();
});
