/** Tests of declared secrets in an agent's commits, where a merge or a publication would keep them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const SECRET = 'correct-horse-battery-9';
const MERGING = { branchStrategy: { type: 'merge-to-head' }, env: { DEPLOY: SECRET } } as const;
const COMMIT = 'git add -A && git commit -q -m work';

function refusalOf(script: string, changes: Partial<RunOptions> = {}): Promise<RepositoryError> {
  return run(runOptions(script, { ...MERGING, ...changes })).then(
    () => {
      throw new Error('The run was not refused.');
    },
    (error: unknown) => {
      if (!RepositoryError.isInstance(error)) throw error;
      return error;
    },
  );
}

const HIDDEN: readonly (readonly [string, string, string])[] = [
  ['a file', `echo "x = '$DEPLOY'" > conf.js; ${COMMIT}`, '`conf.js`'],
  ['a later line of a changed file', `echo "$DEPLOY" >> a.txt; ${COMMIT}`, '`a.txt`'],
  ['a message', `git commit -q --allow-empty -m "use $DEPLOY"`, 'the message'],
  ['a name of a file', `touch "$DEPLOY.txt"; ${COMMIT}`, 'of '],
  [
    'a commit that a later one undoes',
    `echo "$DEPLOY" > conf.js; ${COMMIT}; git rm -q conf.js; ${COMMIT}`,
    '`conf.js`',
  ],
  ['Base64', `printf '%s' "$DEPLOY" | base64 > conf.txt; ${COMMIT}`, '`conf.txt`'],
  [
    'a file that an attribute calls binary',
    `echo '*.dat binary' > .gitattributes; echo "$DEPLOY" > x.dat; ${COMMIT}`,
    '`x.dat`',
  ],
  [
    'the end of a line of a megabyte',
    `head -c 1000000 /dev/zero | tr '\\0' x > min.js; echo "$DEPLOY" >> min.js; ${COMMIT}`,
    '`min.js`',
  ],
  [
    'a file after one that looks like a header',
    `printf -- '-- a/a\\n++ b/b\\n@@ -1 +1 @@\\n' > a.txt; echo "$DEPLOY" > b.txt; ${COMMIT}`,
    '`b.txt`',
  ],
  [
    'a merge commit',
    `git checkout -q -b side; ${commitLine('s.txt')}; git checkout -q -; git merge -q --no-ff --no-commit side; echo "$DEPLOY" > merged.txt; ${COMMIT}`,
    '`merged.txt`',
  ],
];

it.each(HIDDEN)('refuses to merge a secret in %s', async (_where, script, place) => {
  const cwd = makeRepository();
  const { code, message, branch = '', commits } = await refusalOf(script, { cwd });
  expect(code).toBe('secret-in-commits');
  expect(message).toContain(place);
  expect(message).not.toContain(SECRET);
  expect(git(cwd, 'log', '--format=%s', 'main')).toBe('begin');
  expect(git(cwd, 'rev-parse', branch)).toBe(commits.at(-1)?.sha);
});

it('finds a value of `.truecast/.env`', async () => {
  const cwd = makeRepository();
  mkdirSync(join(cwd, '.truecast'));
  writeFileSync(join(cwd, '.git', 'info', 'exclude'), '.truecast\n');
  writeFileSync(join(cwd, '.truecast', '.env'), `OTHER=${SECRET}-of-the-file\n`, { mode: 0o600 });
  const error = await refusalOf(`echo "$OTHER" > conf.js; ${COMMIT}`, { cwd, env: {} });
  expect(error.code).toBe('secret-in-commits');
});

it('merges with a warning where the caller allows it', async () => {
  const cwd = makeRepository();
  const options = { ...MERGING, cwd, policies: { secretsInCommits: 'warn' } } as const;
  const { warnings } = await run(runOptions(`echo "$DEPLOY" > conf.js; ${COMMIT}`, options));
  expect(warnings.join()).toMatch(/^secret-in-commits: .*`conf\.js`/u);
  expect(readFileSync(join(cwd, 'conf.js'), 'utf8')).toContain(SECRET);
});

it('merges a line that was there before, a short value, and the author that git takes from a variable', async () => {
  const cwd = makeRepository();
  writeFileSync(join(cwd, 'known.txt'), `one\n${SECRET}\nthree\n`);
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'known');
  const env = { DEPLOY: SECRET, MODE: 'fast', GIT_AUTHOR_NAME: 'Somebody Else' };
  const script = `echo fast >> known.txt; ${COMMIT}`;
  const { warnings } = await run(runOptions(script, { ...MERGING, cwd, env }));
  expect(warnings).toEqual([]);
  expect(git(cwd, 'log', '-1', '--format=%an', 'main')).toBe('Somebody Else');
});

it('returns a branch that is neither merged nor published', async () => {
  const branchStrategy = { type: 'branch', branch: 'topic' } as const;
  const result = await run(runOptions(`echo "$DEPLOY" > conf.js; ${COMMIT}`, { ...MERGING, branchStrategy }));
  expect(result.commits).toHaveLength(1);
});
