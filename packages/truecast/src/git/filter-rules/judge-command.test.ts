import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp, temporaryFolder, writeIn } from '../test-repository.ts';
import { distrustCommand, programsOf, type FilterCommandContext } from './judge-command.ts';

let root: string;
let outside: string;
let context: FilterCommandContext;
beforeEach(() => {
  root = temporaryFolder();
  outside = temporaryFolder();
  writeIn(root, 'scripts/clean.sh', 'cat\n', 0o755);
  writeIn(root, 'strip.py', '');
  writeIn(root, 'node_modules/.bin/tr', '', 0o755);
  writeIn(root, 'clean/readme', '');
  writeIn(outside, 'bin/tool', '', 0o755);
  symlinkSync(join(root, 'scripts/clean.sh'), join(outside, 'bin/link'));
  chmodSync(join(outside, 'bin/tool'), 0o755);
  context = { roots: [root], home: outside, searchPath: `${join(outside, 'bin')}:/usr/bin:/bin` };
});
afterEach(cleanUp);

describe('a command line that can run on the host', () => {
  it.each([
    'tr a-z b-za',
    "sed -e 's/a/b/'",
    'sed s,a/b,c,',
    "jq --indent 1 'del(.cells[].outputs)'",
    'jq .',
    'git-lfs clean -- %f',
    'git lfs filter-process',
    '"/usr/local/bin/git-crypt" clean --key-name=team',
    'git-agecrypt smudge -f %f',
    'git-annex filter-process',
    '"/usr/bin/python3" -m nbstripout',
    "python3 -c 'import sys; sys.stdout.write(sys.stdin.read())'",
    "perl -pe 's/a/b/'",
    'sops --decrypt --input-type yaml /dev/stdin',
    'openssl enc -aes-256-cbc -pass file:/etc/key 2>/dev/null',
    '~/bin/tool encode | sort',
    '"$HOME/bin/tool" encode',
    "sh -c 'tr a-z b-za | cat'",
    'env LC_ALL=C tr a-z A-Z',
  ])('%s', (line) => expect(distrustCommand(line, context)).toBeUndefined());
});

describe('a command line that names a file of the repository, or that cannot be read', () => {
  it.each([
    './scripts/clean.sh',
    'scripts/clean.sh %f',
    'sh scripts/clean.sh',
    'sh ./new.sh',
    'bash',
    'python3 strip.py',
    'python3 not-yet.py',
    'python3 -',
    'node ../x.js',
    'perl %f',
    'tool --config=strip.py',
    'tool -C .',
    'tool clean',
    'tool scripts/rules.txt',
    'sed -f rules.sed',
    'jq -f rules',
    "sh -c './scripts/clean.sh'",
    'sh -c \'sh -c "sh scripts/clean.sh"\'',
    'cat; ./scripts/clean.sh',
    'cat && scripts/clean.sh',
    '$(cat scripts/name)',
    '`cat name`',
    'cat < strip.py',
    'cat scr*',
    'eval x',
    '. strip.py',
    'cd scripts && ./clean.sh',
    'xargs sh',
    'npx prettier',
    'make clean',
    'git clean-it',
    'PATH=x tr a b',
    'env PYTHONPATH=x python3 -m json.tool',
    'CONFIG=./x tool',
    'python3 -c \'open("./x")\'',
    "'unclosed",
  ])('%s', (line) => expect(distrustCommand(line, context)).toEqual(expect.any(String)));

  it('an absolute path, written or linked', () => {
    expect(distrustCommand(join(root, 'scripts/clean.sh'), context)).toContain('a file of the repository');
    expect(distrustCommand('link', context)).toContain('a file of the repository');
    expect(distrustCommand(`sh ${join(outside, 'bin/link')}`, context)).toContain('a file of the repository');
    expect(distrustCommand(`python3 -c 'x("${root}/a")'`, context)).toContain('a file of the repository');
  });

  it('a program that the PATH finds in the repository', () => {
    const searchPath = `${join(root, 'node_modules/.bin')}:/usr/bin`;
    expect(distrustCommand('tr a b', { ...context, searchPath })).toContain('a file of the repository');
    expect(distrustCommand('tr a b', { ...context, searchPath: 'bin:/usr/bin' })).toBeUndefined();
  });
});

it('lists the programs of a pipeline', () => {
  expect(programsOf('LC_ALL=C tr a b | "/opt/x y" c', '/home/u')).toEqual(['tr', '/opt/x y']);
});
