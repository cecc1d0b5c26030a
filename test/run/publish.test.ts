/** `publish`: a branch that is pushed to a bare remote, and a stand-in for `gh`. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const URL = 'https://git.example.invalid/o/r/pull/7';
const PUBLISH = { publish: 'pull-request', branchStrategy: { type: 'branch', branch: 'topic' } } as const;

let savedPath: string | undefined;
beforeEach(() => (savedPath = process.env['PATH']));
afterEach(() => {
  vi.unstubAllEnvs();
  process.env['PATH'] = savedPath;
});

interface Workplace {
  readonly cwd: string;
  readonly remote: string;
  /** One argument per line. */
  readonly called: () => readonly string[];
}

/** A repository with a bare `origin`, with hooks, and a `gh` that runs `script`. */
function workplace(script = `echo 'Creating pull request' >&2; echo ${URL}`): Workplace {
  const cwd = makeRepository();
  const remote = join(dirname(cwd), 'remote.git');
  git(cwd, 'init', '-q', '--bare', remote);
  git(cwd, 'remote', 'add', 'origin', remote);
  git(cwd, 'push', '-q', 'origin', 'main');
  const hook = join(cwd, '.git', 'hooks', 'pre-push');
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch '${cwd}/../hooked'\nexit 1\n`, { mode: 0o755 });
  const bin = temporaryFolder();
  const gh = join(bin, 'gh');
  writeFileSync(gh, `#!/bin/sh\nfor word in "$@"; do echo "$word" >> '${bin}/args'; done\n${script}\n`);
  chmodSync(gh, 0o755);
  process.env['PATH'] = `${bin}${delimiter}${savedPath ?? ''}`;
  return { cwd, remote, called: () => readFileSync(join(bin, 'args'), 'utf8').trim().split('\n') };
}

async function failure(changes: Partial<RunOptions>, script = commitLine('b.txt')): Promise<RepositoryError> {
  return (await run(runOptions(script, changes)).then(
    () => undefined,
    (reason: unknown) => reason,
  )) as RepositoryError;
}

describe('publish: pull-request', () => {
  it('pushes nothing if the agent committed only on its own branch', async () => {
    const { cwd, remote } = workplace(`touch '${temporaryFolder()}/gh'`);
    const result = await run(
      runOptions(`git switch -q -c mine; ${commitLine('b.txt')}`, { cwd, ...PUBLISH }),
    );
    expect(result).toMatchObject({ branch: 'topic', commits: [], recovered: [{ from: 'refs/heads/mine' }] });
    expect(result).not.toHaveProperty('pullRequestUrl');
    expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
  });

  it('pushes the branch with hooks off, opens a pull request, and merges nothing', async () => {
    const { cwd, remote, called } = workplace();
    const result = await run(runOptions(commitLine('b.txt'), { cwd, ...PUBLISH }));
    expect(result).toMatchObject({ branch: 'topic', pullRequestUrl: URL, warnings: [] });
    expect(git(remote, 'rev-parse', 'topic')).toBe(result.commits[0]?.sha);
    expect(called()).toEqual(['pr', 'create', '--head=topic', '--base=main', '--title=add b.txt', '--body=']);
    expect(existsSync(join(cwd, '..', 'hooked'))).toBe(false);
    expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('publishes the temporary branch of `merge-to-head`, with the subjects of its commits', async () => {
    const { cwd, remote, called } = workplace();
    const branchStrategy = { type: 'merge-to-head', branchPrefix: 'bot' } as const;
    const script = `${commitLine('b.txt')}; ${commitLine('c.txt')}`;
    const options = { cwd, branchStrategy, publish: 'pull-request', name: 'Fix it' } as const;
    const { branch, pullRequestUrl } = await run(runOptions(script, options));
    expect(branch).toMatch(/^bot\/fix-it\/\d{8}-/u);
    expect(pullRequestUrl).toBe(URL);
    expect(git(remote, 'branch', '--list', branch)).toContain(branch);
    expect(called().slice(4)).toEqual(['--title=Fix it', '--body=- add b.txt', '- add c.txt']);
    expect(git(cwd, 'log', '--format=%s', 'main')).toBe('begin');
  });

  it('gives `gh` the host of the caller, and none of the project or of the options', async () => {
    const { cwd } = workplace(`echo ${URL}; env > "$0.env"`);
    const seen = (): readonly string[] =>
      readFileSync(join((process.env['PATH'] ?? '').split(delimiter)[0] ?? '', 'gh.env'), 'utf8')
        .split('\n')
        .filter((line) => /^GH_(?:HOST|TOKEN|REPO)=/u.test(line));
    mkdirSync(join(cwd, '.truecast'), { recursive: true });
    writeFileSync(
      join(cwd, '.truecast', '.env'),
      'GH_HOST=other.example.invalid\nGH_TOKEN=of-the-agent\nGH_REPO=o/other\n',
    );
    const options = { cwd, ...PUBLISH, env: { GH_REPO: 'o/third' } };
    await run(runOptions(commitLine('b.txt'), options));
    expect(seen()).toEqual([]);
    rmSync(join(cwd, '.truecast', '.env'));
    vi.stubEnv('GH_HOST', 'git.example.invalid');
    await run(runOptions(commitLine('c.txt'), options));
    expect(seen()).toEqual(['GH_HOST=git.example.invalid']);
  });

  it('publishes nothing without a commit', async () => {
    const { cwd, remote } = workplace('exit 9');
    const result = await run(runOptions('true', { cwd, ...PUBLISH }));
    expect(result).not.toHaveProperty('pullRequestUrl');
    expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
  });

  it('finds the open pull request of a branch that is published again', async () => {
    const said = `a pull request for branch "topic" into branch "main" already exists:\n${URL}`;
    const { cwd } = workplace(`echo '${said}' >&2; exit 1`);
    const { pullRequestUrl } = await run(runOptions(commitLine('b.txt'), { cwd, ...PUBLISH }));
    expect(pullRequestUrl).toBe(URL);
  });

  it.each([
    ['pull-request-failed', 'echo "no permission" >&2; exit 4', 'gh pr create --head topic --base main'],
    ['pull-request-failed', 'sleep 300', '`timeouts.publishMs`'],
    ['push-failed', '', 'git push origin topic'],
  ])('%s is an error that keeps branch and worktree', async (code, script, remedy) => {
    const { cwd, remote } = workplace(script);
    if (code === 'push-failed') git(cwd, 'remote', 'set-url', 'origin', join(remote, 'none'));
    const timeouts = script === 'sleep 300' ? { publishMs: 1000 } : {};
    const error = await failure({ cwd, ...PUBLISH, timeouts });
    expect(error).toMatchObject({ name: 'RepositoryError', code, branch: 'topic' });
    expect(error.message).toContain(remedy);
    expect(error.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'topic') }]);
    expect(existsSync(join(error.preservedWorktreePath ?? '', 'b.txt'))).toBe(true);
  });

  it.each([
    ['a remote `origin`', {}, (cwd: string) => git(cwd, 'remote', 'remove', 'origin')],
    ['a branch to merge into', {}, (cwd: string) => git(cwd, 'checkout', '-q', '--detach')],
    ['a separate branch', { branchStrategy: { type: 'head' } }, () => undefined],
    ["to be 'pull-request'", { publish: 'merge' as 'pull-request' }, () => undefined],
    ['`gh`', {}, () => void (process.env['PATH'] = programsWithoutGh())],
  ] as const)('refuses a run without %s before anything is created', async (what, changes, prepare) => {
    const { cwd } = workplace();
    prepare(cwd);
    const error = await failure({ cwd, ...PUBLISH, ...changes });
    expect(error).toMatchObject({ name: 'UsageError' });
    expect(error.message).toContain(what);
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
  });
});

/** Folders of the PATH, as far as they contain no `gh`. */
function programsWithoutGh(): string {
  return (savedPath ?? '')
    .split(delimiter)
    .filter((folder) => !existsSync(join(folder, 'gh')))
    .join(delimiter);
}
