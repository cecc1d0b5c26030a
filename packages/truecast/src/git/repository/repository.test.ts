import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { CwdError } from '@truecast/core/internal/errors/usage-error';
import {
  cleanUp,
  CALL,
  emptyRepository,
  newRepository,
  open,
  place,
  plainGit,
  temporaryFolder,
  writeIn,
} from '../test-repository.ts';
import { openRepository } from './repository.ts';

afterEach(cleanUp);

test('returns the checkout, its branch and its commit', async () => {
  const path = newRepository();
  const repository = await open(path);
  expect(repository).toMatchObject({
    topLevel: path,
    mainTopLevel: path,
    gitDir: join(path, '.git'),
    commonDir: join(path, '.git'),
    headSha: plainGit(path, 'rev-parse', 'HEAD'),
    branch: 'main',
    isWorktree: false,
  });
});

test('finds the checkout from a subfolder', async () => {
  const path = newRepository();
  mkdirSync(join(path, 'deep', 'er'), { recursive: true });
  expect(await open(join(path, 'deep', 'er'))).toMatchObject({ topLevel: path, gitDir: join(path, '.git') });
});

test.each(['with space', 'it\'s "quoted"', 'new\nline', '$(touch x)`y`', '-dash', 'ünï'])(
  'opens a repository in a folder named %j',
  async (name) => {
    const path = newRepository(name);
    expect(await open(path)).toMatchObject({ topLevel: path, commonDir: join(path, '.git'), branch: 'main' });
  },
);

test('lists all references by name, symbolic ones by their own', async () => {
  const path = newRepository();
  plainGit(path, 'tag', '-a', '-m', 'one', 'v1');
  plainGit(path, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  plainGit(path, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  plainGit(path, 'pack-refs', '--all');
  plainGit(path, 'branch', 'loose');
  const { references = new Map() } = await open(path);
  const lines = [...references].map(([name, sha]) => `${sha} ${name}`);
  expect(lines).toHaveLength(5);
  expect(lines.join('\n')).toBe(plainGit(path, 'for-each-ref', '--format=%(objectname) %(refname)'));
});

test('lists no reference where none exists', async () => {
  const path = newRepository();
  plainGit(path, 'checkout', '--quiet', '--detach');
  plainGit(path, 'branch', '--delete', '--force', 'main');
  expect(await open(path)).toMatchObject({ references: new Map(), knownTips: [] });
});

test('has no branch when HEAD is detached', async () => {
  const path = newRepository();
  plainGit(path, 'checkout', '--quiet', '--detach');
  expect((await open(path)).branch).toBeUndefined();
});

test('distinguishes a linked worktree from the main checkout', async () => {
  const path = newRepository();
  const linked = join(temporaryFolder(), 'linked');
  plainGit(path, 'worktree', 'add', '--quiet', '-b', 'side', linked);
  expect(await open(linked)).toMatchObject({
    topLevel: linked,
    mainTopLevel: path,
    commonDir: join(path, '.git'),
    gitDir: join(path, '.git', 'worktrees', 'linked'),
    branch: 'side',
    isWorktree: true,
  });
});

test('opens the checkout of a submodule', async () => {
  const inner = newRepository('inner');
  const outer = newRepository('outer');
  plainGit(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
  expect(await open(join(outer, 'sub'))).toMatchObject({
    topLevel: join(outer, 'sub'),
    mainTopLevel: join(outer, 'sub'),
    gitDir: join(outer, '.git', 'modules', 'sub'),
    isWorktree: false,
  });
});

test('refuses a folder that does not exist, and a file', async () => {
  const path = newRepository();
  const missing = await open(join(path, 'nowhere')).catch((error: unknown) => error);
  expect(CwdError.isInstance(missing) && missing.cwd).toBe(join(path, 'nowhere'));
  await expect(open(join(path, 'a.txt'))).rejects.toThrow('is a file');
});

test('refuses a folder without a repository, and reports how to create one', async () => {
  await expect(open(temporaryFolder())).rejects.toMatchObject({
    code: 'not-a-repository',
    message: expect.stringContaining('git init && git commit --allow-empty'),
  });
});

test('refuses a repository without a commit, and reports how to create one', async () => {
  await expect(open(emptyRepository())).rejects.toMatchObject({
    code: 'no-commit',
    message: expect.stringContaining('git commit --allow-empty'),
  });
});

test('refuses a bare repository, and the inside of a git directory', async () => {
  const bare = temporaryFolder();
  plainGit(bare, 'init', '--quiet', '--bare');
  await expect(open(bare)).rejects.toMatchObject({ code: 'bare' });
  await expect(open(join(newRepository(), '.git'))).rejects.toMatchObject({ code: 'bare' });
});

test('is not led astray by the GIT_DIR of a hook that it runs in', async () => {
  const path = newRepository();
  const other = newRepository('other');
  process.env['GIT_DIR'] = join(other, '.git');
  try {
    expect(await open(path)).toMatchObject({ topLevel: path, gitDir: join(path, '.git') });
  } finally {
    delete process.env['GIT_DIR'];
  }
});

test('rejects with the reason of the signal', async () => {
  const reason = { stop: true };
  await expect(openRepository(newRepository(), { ...CALL, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

test('pins the filters of the user, turns off those of the repository, and knows a hooks folder inside the checkout', async () => {
  const path = newRepository();
  plainGit(path, 'config', 'filter.mine.clean', './clean.sh');
  plainGit(path, 'config', 'filter.rot.clean', 'tr a-z b-za');
  plainGit(path, 'config', 'filter.rot.required', 'true');
  plainGit(path, 'config', 'filter.strip.clean', 'python3 -m strip');
  plainGit(path, 'config', 'include.path', '../included');
  writeIn(path, 'included', '[filter "theirs"]\n\tclean = tr a b\n');
  plainGit(path, 'config', 'core.hooksPath', '.husky/_');
  const trustedConfig = await (await open(path)).trustedConfig();
  const ofRepository = trustedConfig.hostFilters.filter((entry) => /^filter\.(?!lfs)/u.test(entry));
  expect(ofRepository).toEqual([
    'filter.mine.clean=',
    'filter.mine.smudge=',
    'filter.mine.process=',
    'filter.mine.required=false',
    'filter.rot.clean=tr a-z b-za',
    'filter.rot.required=true',
    'filter.strip.clean=cd / && python3 -m strip',
    'filter.strip.required=false',
    'filter.theirs.clean=',
    'filter.theirs.smudge=',
    'filter.theirs.process=',
    'filter.theirs.required=false',
  ]);
  expect(trustedConfig.relativeHooksPath).toBe('.husky/_');
});

test('leaves the filters of the user alone where agents run on the host', async () => {
  const path = newRepository();
  plainGit(path, 'config', 'filter.mine.clean', './clean.sh');
  const repository = await openRepository(path, { ...CALL, isUnguarded: true });
  expect(await repository.trustedConfig()).toMatchObject({
    hostFilters: [],
    neutralFilters: [],
    creationFilters: [],
  });
});

test('runs nothing that the configuration of the repository names', async () => {
  const path = newRepository();
  const marker = join(path, 'ran');
  writeFileSync(join(path, 'payload.sh'), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
  plainGit(path, 'config', 'core.fsmonitor', join(path, 'payload.sh'));
  writeIn(path, '.git/hooks/post-checkout', `#!/bin/sh\ntouch '${marker}'\n`, 0o755);
  await (await place(path)).lock.release();
  expect(plainGit(path, '-c', 'core.fsmonitor=false', 'ls-files', '--others', 'ran')).toBe('');
});
