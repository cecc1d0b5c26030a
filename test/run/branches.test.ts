import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const MERGE = { branchStrategy: { type: 'merge-to-head' } } as const;
const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

describe('merge-to-head', () => {
  it('merges the commits, and leaves neither branch nor worktree', async () => {
    const cwd = makeRepository();
    const result = await run(runOptions(commitLine('b.txt'), { cwd, ...MERGE }));
    expect(result).toMatchObject({ branch: 'main', commits: [{ sha: git(cwd, 'rev-parse', 'main') }] });
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(git(cwd, 'status', '--porcelain')).toBe('');
  });

  it('works on a temporary branch with the prefix of the caller', async () => {
    const branchStrategy = { type: 'merge-to-head', branchPrefix: 'ci/agents' } as const;
    const cwd = makeRepository();
    const script = `git branch --show-current > b.txt; git add b.txt; git commit -qm b`;
    await run(runOptions(script, { cwd, branchStrategy, name: 'fix' }));
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toMatch(/^ci\/agents\/fix\/\d{8}-\d{6}-[0-9a-f]{6}\n$/u);
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
    const wrong = { type: 'merge-to-head', branchPrefix: 'a b' } as const;
    const error = await failureOf(run(runOptions('true', { cwd, branchStrategy: wrong })));
    expect(error).toMatchObject({ name: 'RepositoryError', code: 'invalid-branch' });
  });

  it('keeps a worktree with uncommitted work, and names it', async () => {
    const result = await run(runOptions(`${commitLine('b.txt')}; echo dirt > c.txt`, MERGE));
    expect(result.commits).toHaveLength(1);
    expect(readFileSync(join(result.preservedWorktreePath ?? '', 'c.txt'), 'utf8')).toBe('dirt\n');
  });

  it('leaves the checkout unchanged on a conflict, keeps the branch, and prints how to finish', async () => {
    const cwd = makeRepository();
    const script = `echo agent > a.txt && git commit -qam agent && echo host > '${cwd}/a.txt' && git -C '${cwd}' commit -qam host`;
    const error = await failureOf(run(runOptions(script, { cwd, ...MERGE })));
    expect(error).toBeInstanceOf(RepositoryError);
    expect(error).toMatchObject({ code: 'merge-conflict' });
    const { branch, message } = error as RepositoryError;
    expect(message).toContain(`git merge ${branch}`);
    expect(git(cwd, 'log', '-1', '--format=%s', branch ?? '')).toBe('agent');
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('host');
    expect(git(cwd, 'status', '--porcelain')).toBe('');
  });

  it('attributes to the agent its own commits only, and merges only its branch', async () => {
    const cwd = makeRepository();
    const script = `${commitLine('b.txt')} && git checkout -q --detach && ${commitLine('c.txt')} && git -C '${cwd}' commit -q --allow-empty -m foreign`;
    const result = await run(runOptions(script, { cwd, ...MERGE }));
    expect(result.commits.map(({ sha }) => git(cwd, 'log', '-1', '--format=%s', sha))).toEqual(['add b.txt']);
    expect([existsSync(join(cwd, 'b.txt')), existsSync(join(cwd, 'c.txt'))]).toEqual([true, false]);
    const [kept] = result.recovered ?? [];
    expect(git(cwd, 'log', '-1', '--format=%s', kept?.ref ?? '')).toBe('add c.txt');
  });

  it('refuses a branch whose first commit the agent amended, and names the reason', async () => {
    const cwd = makeRepository();
    const script = `echo two > a.txt; git commit -q -a --amend -m amended`;
    const error = await failureOf(run(runOptions(script, { cwd, ...MERGE })));
    expect(error).toMatchObject({
      code: 'merge-conflict',
      message: expect.stringContaining('no common history with `main`') as unknown,
      commits: [expect.anything()],
    });
    expect(git(cwd, 'log', '--format=%s')).toBe('begin');
  });

  it('merges twelve runs at once, none lost', async () => {
    const cwd = makeRepository();
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        run(runOptions(commitLine(`file-${index}.txt`), { cwd, ...MERGE })),
      ),
    );
    expect(all.flatMap(({ commits }) => commits)).toHaveLength(12);
    for (let index = 0; index < 12; index += 1) expect(existsSync(join(cwd, `file-${index}.txt`))).toBe(true);
    expect(git(cwd, 'fsck', '--no-progress')).not.toContain('error');
  });
});

describe('a named branch', () => {
  it('collects the work of run after run', async () => {
    const cwd = makeRepository();
    const branch = { branchStrategy: { type: 'branch', branch: 'feature/x' } } as const;
    await run(runOptions(commitLine('b.txt'), { cwd, ...branch }));
    const second = await run(runOptions(commitLine('c.txt'), { cwd, ...branch }));
    expect(second).toMatchObject({
      branch: 'feature/x',
      commits: [{ sha: git(cwd, 'rev-parse', 'feature/x') }],
    });
    expect(git(cwd, 'rev-list', '--count', 'main..feature/x')).toBe('2');
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('begin');
  });

  it('begins at its base branch when it is new', async () => {
    const cwd = makeRepository();
    git(cwd, 'branch', 'base');
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'later');
    await run(
      runOptions('true', { cwd, branchStrategy: { type: 'branch', branch: 'topic', baseBranch: 'base' } }),
    );
    expect(git(cwd, 'rev-parse', 'topic')).toBe(git(cwd, 'rev-parse', 'base'));
  });

  it('is worked on by one run at a time: the second fails at once and names the first', async () => {
    const cwd = makeRepository();
    const branch = { branchStrategy: { type: 'branch', branch: 'topic' } } as const;
    const first = run(
      runOptions('echo started; while [ ! -e go ]; do sleep 0.05; done; rm go', { cwd, ...branch }),
    );
    let worktree = '';
    for await (const event of first) {
      if (event.type === 'run-start') worktree = event.worktreePath;
      if (event.type === 'text') break;
    }
    const error = await failureOf(run(runOptions('true', { cwd, ...branch })));
    expect(error).toMatchObject({ code: 'locked' });
    expect((error as Error).message).toContain(String(process.pid));
    writeFileSync(join(worktree, 'go'), '');
    await first;
    await run(runOptions('true', { cwd, ...branch }));
  });

  it('gets files that git does not carry', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, 'conf'));
    writeFileSync(join(cwd, 'conf', '.env'), 'A=1\n');
    const result = await run(
      runOptions('cat conf/.env', {
        cwd,
        branchStrategy: { type: 'branch', branch: 'topic' },
        copyToWorktree: ['conf/.env', 'gone'],
      }),
    );
    expect(result.stdout).toBe('A=1\n');
    expect(result.warnings.join()).toContain('gone');
  });
});

describe('head', () => {
  it('works in the checkout itself, and is locked too', async () => {
    const cwd = makeRepository();
    const first = run(
      runOptions('echo x > x.txt; echo started; while [ ! -e go ]; do sleep 0.05; done', { cwd }),
    );
    for await (const event of first) if (event.type === 'text') break;
    expect(await failureOf(run(runOptions('true', { cwd })))).toMatchObject({ code: 'locked' });
    writeFileSync(join(cwd, 'go'), '');
    const result = await first;
    expect(result.branch).toBe('main');
    expect(result.preservedWorktreePath).toBeUndefined();
    expect(existsSync(join(cwd, 'x.txt'))).toBe(true);
    rmSync(join(cwd, 'go'));
  });
});
