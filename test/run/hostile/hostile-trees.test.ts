/** Trees that a guest builds by hand: what git refuses, and what no checkout can contain. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../../packages/core/src/errors/repository-error.ts';
import { repositoryTemplate } from '../../../packages/truecast/src/git/test-template.ts';
import { handOver } from '../../../packages/truecast/src/guest-git/hand-over.ts';
import { layOutStore } from '../../../packages/truecast/src/guest-git/store/lay-out-store.ts';
import { spawnStream } from '../../../packages/truecast/src/process/spawn-stream.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from '../fixture.ts';
import { GIT_VARIANTS } from './git-variants.ts';
import { matrixCases, matrixRuns } from '../../matrix.ts';

type Entry = readonly [mode: string, name: string];

/** Writes an object that git would refuse to write, without a git, and returns its id. */
function rawObject(repository: string, type: string, content: Buffer): string {
  const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash('sha1').update(object).digest('hex');
  const folder = join(repository, 'objects', id.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, id.slice(2)), deflateSync(object));
  return id;
}

const copyBare = repositoryTemplate((path) => void git(path, 'init', '-q', '--bare'));

/** Hands over a stream whose index is a tree. */
async function handOverTree(cwd: string, entries: readonly Entry[]): Promise<unknown> {
  const elsewhere = join(temporaryFolder(), 'bare');
  copyBare(elsewhere);
  const blob = rawObject(elsewhere, 'blob', Buffer.from('x\n'));
  const empty = rawObject(elsewhere, 'tree', Buffer.alloc(0));
  const bytes = entries.flatMap(([mode, name]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(mode === '40000' ? empty : blob, 'hex'),
  ]);
  const tree = rawObject(elsewhere, 'tree', Buffer.concat(bytes));
  const objects = [blob, empty, tree].join('\n');
  const commonDir = join(cwd, '.git');
  const places = { worktreePath: cwd, gitDir: commonDir, commonDir };
  const { store } = await layOutStore({ ...places, hasOtherOwner: false, timeoutMs: 20_000 });
  const script = `printf 'head ref: refs/heads/main\nindex ${tree}\n\npack\n'; printf '%s\n' '${objects}' | git -C '${elsewhere}' pack-objects --stdout -q`;
  const open = (): ReturnType<typeof spawnStream> =>
    spawnStream({ file: 'sh', args: ['-c', script], env: { PATH: process.env['PATH'] ?? '' } });
  return handOver(store, open).catch((error: unknown) => error);
}

/** Files with an object, or objects, of a repository. */
function objectsIn(cwd: string): readonly string[] {
  const files = readdirSync(join(cwd, '.git/objects'), { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Names that git refuses, one of each kind. */
const NAMES = [
  '.git',
  '.gIt',
  'git~1',
  '.git ',
  '.git::$INDEX_ALLOCATION',
  '.g\u200Cit',
  'a\\.git',
  '..',
  'a/b',
  '',
];
/** More of each kind, for the whole form. */
const MORE_NAMES = ['.GIT', 'GIT~1', '.git.', '.git. . ', '.git:x', '.git\uFEFF', '\u206A.git'].concat([
  'a\\.git\\hooks',
  'a\\git~1',
  '.',
  '/etc',
  '../a',
]);
/** Modes that git never writes. The short form tries zero, a device, and the largest. */
const MODES = ['0', '60000', '177777', '100600', '120777'];

describe('a tree in a hand-over', () => {
  it.each([
    ...matrixCases(NAMES.length, [...NAMES, ...MORE_NAMES]).map(
      (name) => [JSON.stringify(name), [['40000', name]]] as const,
    ),
    ['a link `.gitmodules`', [['120000', '.gitmodules']]],
    ['a link `gitmod~1`', [['120000', 'gitmod~1']]],
    ['a link `.gitmodules ` with HFS characters', [['120000', '.gitm\u200Codules']]],
    [
      'the same name twice',
      [
        ['100644', 'a'],
        ['100644', 'a'],
      ],
    ],
    [
      'a file and a folder of one name',
      [
        ['100644', 'a'],
        ['40000', 'a'],
      ],
    ],
    [
      'a file and a folder of one name, apart',
      [
        ['100644', 'a'],
        ['100644', 'a.b'],
        ['40000', 'a'],
      ],
    ],
    [
      'names in a wrong order',
      [
        ['100644', 'b'],
        ['100644', 'a'],
      ],
    ],
    ['a mode with a zero before it', [['0100644', 'a']]],
  ] as const)('is refused: %s', async (_title, entries) => {
    const cwd = makeRepository();
    const seen = (): unknown => ({ index: readFileSync(join(cwd, '.git/index')), objects: objectsIn(cwd) });
    const before = seen();
    expect(objectsIn(cwd)).toHaveLength(3);
    expect(await handOverTree(cwd, entries)).toMatchObject({ code: 'sync' });
    expect(seen()).toEqual(before);
  });

  it('is taken if git would write it', async () => {
    const cwd = makeRepository();
    expect(await handOverTree(cwd, [['100644', 'a']])).not.toHaveProperty('code');
    expect(objectsIn(cwd)).not.toHaveLength(3);
  });

  it.each(matrixCases(3, MODES))('with the mode %s never becomes a repository in the index', async (mode) => {
    const cwd = makeRepository();
    await handOverTree(cwd, [
      ['100644', 'a'],
      [mode, 'b'],
    ]);
    expect(git(cwd, 'ls-files', '--stage')).not.toContain('160000');
    expect(git(cwd, 'status', '--porcelain')).not.toContain('??  ');
  });
});

const GUEST = { sandbox: bubblewrap({ egress: 'none' }), branchStrategy: { type: 'merge-to-head' } } as const;

/** Commits a tree of raw entries: `<mode> <type> <id>\t<name>`, next to the files of the base. */
const commitTree = (entries: string): string => `set -e
b=$(echo x | git hash-object -w --stdin)
t=$( (git ls-tree HEAD; printf '100644 blob %s\\tz1.txt\\n' $b; ${entries}) | git mktree --missing)
git update-ref HEAD $(git commit-tree -m work -p HEAD $t); git reset -q`;

/** Returns the shell commands that wrap the entry of the blob `$b` in folders. */
const nested = (name: string, depth: number): string =>
  `n=$(printf '100644 blob %s\\tf\\n' $b | git mktree); i=0; while [ $i -lt ${depth} ]; do n=$(printf '040000 tree %s\\t${name}\\n' $n | git mktree); i=$((i+1)); done; printf '040000 tree %s\\tz2\\n' $n`;

const LONG = `$(printf '%0300d' 1)`;

describeInBubblewrap('a merge of files that no checkout can contain', () => {
  it.each([
    ['a name of 300 bytes', `printf "100644 blob %s\\t${LONG}\\n" $b`],
    ['a path of 5,000 bytes', nested('x'.repeat(200), 25)],
    ['a link without a target', `printf '120000 blob %s\\tz2\\n' $(git hash-object -w --stdin </dev/null)`],
    [
      'a link with a target of 5,000 bytes',
      `printf '120000 blob %s\\tz2\\n' $(printf '%05000d' 1 | git hash-object -w --stdin)`,
    ],
  ])('leaves nothing behind: %s', async (_title, entries) => {
    const cwd = makeRepository();
    const error = await failureIn(cwd, commitTree(entries));
    expect(error).toBeInstanceOf(RepositoryError);
    expect(error).toMatchObject({ code: 'merge-conflict' });
    expect(git(cwd, 'log', '-1', '--format=%s', (error as RepositoryError).branch ?? '')).toBe('work');
  });

  it('is not reached: a hand-over with content that a partial clone lacks is refused, and nothing is fetched', async () => {
    const cwd = GIT_VARIANTS.find(({ title }) => title.includes('partial'))?.create(temporaryFolder()) ?? '';
    const mark = join(cwd, '..', 'fetched');
    git(cwd, 'config', 'remote.origin.uploadpack', `touch ${mark}; git-upload-pack`);
    const missing = git(cwd, 'rev-parse', 'HEAD~1:a.txt');
    const error = await failureIn(cwd, commitTree(`printf '100644 blob %s\\tz2\\n' ${missing}`));
    expect(error).toMatchObject({ code: 'sync' });
    expect(existsSync(mark)).toBe(false);
    expect(git(cwd, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });
});

/** Runs a guest whose work is refused, and checks that the checkout is as before. */
async function failureIn(cwd: string, script: string): Promise<unknown> {
  const seen = (): unknown => ({
    head: git(cwd, 'rev-parse', 'HEAD'),
    status: git(cwd, 'status', '--porcelain'),
    files: readdirSync(cwd).filter((name) => name !== '.truecast'),
  });
  const before = seen();
  const error = await run(runOptions(script, { cwd, ...GUEST })).catch((thrown: unknown) => thrown);
  expect(seen()).toEqual(before);
  return error;
}

/** Their names fill more than a pipe of 64 KiB. */
const ENTRIES = matrixRuns(6_000, 10_000);
/** As many as a path of 4,096 bytes contains, in the whole form: the kernel's work grows with their square. */
const WRITABLE = matrixRuns(800, 1_900);
/** More than such a path contains. The short form has fewer, with longer names. */
const DEEP = matrixRuns(900, 20_000);
const DEEP_NAME = 'a'.repeat(matrixRuns(5, 1));

describeInBubblewrap('a large or odd tree', () => {
  it.each([
    [
      `of ${ENTRIES} entries`,
      `seq 10000 ${9_999 + ENTRIES} | sed 's,\\(.*\\)\\(..\\)$,M 100644 :1 d\\2/f\\1,'`,
    ],
    [
      `of ${WRITABLE} folders in each other`,
      `printf 'M 100644 :1 '; printf 'a/%.0s' $(seq ${WRITABLE}); echo f`,
    ],
    // A current git overflows its stack at 20,000.
    [
      `of ${DEEP} folders in each other`,
      `printf 'M 100644 :1 '; printf '${DEEP_NAME}/%.0s' $(seq ${DEEP}); echo f`,
    ],
  ])('%s ends in a merge or a typed error', async (_title, entries) => {
    const cwd = makeRepository();
    const script = `{ printf 'blob\\nmark :1\\ndata 2\\nx\\ncommit %s\\ncommitter a <a@localhost> 1700000000 +0000\\ndata 5\\nwork\\nfrom %s\\n' $(git symbolic-ref HEAD) $(git rev-parse HEAD); ${entries}; echo; } > stream
git fast-import --quiet --force < stream && rm stream; git read-tree HEAD || true`;
    const outcome = await run(runOptions(script, { cwd, ...GUEST })).catch((error: unknown) => error);
    const head = git(cwd, 'log', '-1', '--format=%s');
    if (head === 'begin') {
      expect(outcome).toMatchObject({
        code: expect.stringMatching(/^(sync|merge-conflict|sensitive-changes)$/u) as unknown,
      });
    } else expect(outcome).toMatchObject({ commits: [{}] });
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(git(cwd, 'fsck', '--strict', '--no-dangling', '--connectivity-only')).toBe('');
  });

  it('with names that steer a terminal is refused without them in the message', async () => {
    const cwd = makeRepository();
    const script = `set -e; d=$(printf 'a\\033[2J\\007\\n\\342\\200\\256b'); mkdir "$d"; echo x > "$d/.gitmodules"; git add -A; git commit -q -m work`;
    const error = await failureIn(cwd, script);
    expect(error).toMatchObject({ code: 'sensitive-changes' });
    expect((error as Error).message).not.toMatch(/[\p{Cc}\u202E]/u);
    expect((error as Error).message).toContain('.gitmodules');
  });
});

describeInBubblewrap('names that are no text', () => {
  it('arrive in the index byte by byte', async () => {
    const cwd = makeRepository();
    const script = `set -e; n=$(printf 'caf\\351'); l=$(printf 'l\\n\\033[2Jx'); echo 1 > "$n"; echo 2 > "$l"; echo 3 > "$(printf 't\\tx')"
git add -A; git commit -q -m work; echo 4 > "s$n"; git add "s$n"`;
    const { sandbox } = GUEST;
    await run(runOptions(script, { cwd, sandbox, branchStrategy: { type: 'head' } }));
    expect(git(cwd, 'status', '--porcelain')).toBe('A  "scaf\\351"');
    expect(git(cwd, 'ls-files', '--stage').split('\n')).toHaveLength(5);
  });
});
