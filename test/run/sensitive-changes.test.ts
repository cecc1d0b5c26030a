import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixColumns } from '../matrix.ts';
import { git, makeRepository, runOptions } from './fixture.ts';
import { COMMIT, COMMITTED, LEFT_BEHIND, prepare, type Seed } from './host-code-seeds.ts';

const MERGE = { branchStrategy: { type: 'merge-to-head' } } as const;

// The short form tries half of them: `no-code-on-host` tries others, so that each reason is tried.
describeInBubblewrap('a merge that brings code for the next git command', () => {
  it.each(matrixColumns(1, COMMITTED, { rows: 2 }))('is refused: $title', async (seed) => {
    const { cwd, mark } = prepare(seed);
    const error = await failureOf(run(guestOptions(cwd, seed, mark, MERGE)));
    expect(error).toBeInstanceOf(RepositoryError);
    const { message, sensitiveChanges, branch, preservedWorktreePath } = error as RepositoryError;
    expect(error).toMatchObject({ code: 'sensitive-changes' });
    expect(sensitiveChanges).toContainEqual(
      expect.objectContaining({ ...seed.expected, runsAt: 'git', source: 'commits' }),
    );
    expect(message).toContain(seed.expected.path);
    expect(git(cwd, 'rev-parse', '--verify', `refs/heads/${branch}`)).toMatch(/^[0-9a-f]{40}$/u);
    expect(existsSync(preservedWorktreePath ?? '')).toBe(true);
    useGit(cwd, seed.folders);
    expect(existsSync(mark)).toBe(false);
  });

  it('is made with the policy `report`, which reports it', async () => {
    const seed = COMMITTED.find(({ expected }) => expected.path === 'scripts/show.sh') as Seed;
    const { cwd, mark } = prepare(seed);
    const result = await run(
      guestOptions(cwd, seed, mark, { ...MERGE, policies: { sensitiveChanges: 'warn' } }),
    );
    expect(result.sensitiveChanges).toEqual([
      { ...seed.expected, runsAt: 'git', change: 'changed', source: 'commits' },
    ]);
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('work');
    // The seed is effective: now the same commands run it.
    useGit(cwd, seed.folders);
    expect(existsSync(mark)).toBe(true);
  });

  it('is refused again when a later run on the same worktree brings nothing new of the kind', async () => {
    const seed = COMMITTED.at(-1) as Seed;
    const { cwd, mark } = prepare(seed);
    await using worktree = await createWorktree({ cwd, branchStrategy: { type: 'merge-to-head' } });
    const again = { ...seed, script: `echo more > more.txt && ${COMMIT}` };
    for (const { script } of [seed, again]) {
      const { agent, prompt = '' } = guestOptions(cwd, { ...seed, script }, mark, {});
      const error = await failureOf(worktree.run({ agent, prompt, sandbox: bubblewrap({ egress: 'none' }) }));
      expect(error).toMatchObject({ code: 'sensitive-changes' });
    }
  });
});

describeInBubblewrap('a merge into a branch that renamed a folder meanwhile', () => {
  it.each([
    { title: 'a file that the agent changed', file: 'lint', directoryRenames: 'conflict' },
    { title: 'a file that the agent added', file: 'pre-commit', directoryRenames: 'true' },
  ])('is refused where it moves $title to the hooks', async ({ file, directoryRenames }) => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, 'tools'));
    writeFileSync(join(cwd, 'tools/lint'), 'one\ntwo\nthree\nfour\n');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-qm', 'tools');
    git(cwd, 'config', 'core.hooksPath', 'githooks');
    git(cwd, 'config', 'merge.directoryRenames', directoryRenames);
    await using worktree = await createWorktree({ cwd, ...MERGE });
    git(cwd, 'mv', 'tools', 'githooks');
    git(cwd, 'commit', '-qm', 'rename');
    const before = git(cwd, 'rev-parse', 'HEAD');
    const { agent, prompt = '' } = runOptions(`echo more >> tools/${file} && ${COMMIT}`, { cwd });
    const error = await failureOf(worktree.run({ agent, prompt, sandbox: bubblewrap({ egress: 'none' }) }));
    expect(error).toMatchObject({ code: 'sensitive-changes' });
    expect((error as RepositoryError).sensitiveChanges).toContainEqual(
      expect.objectContaining({ path: `githooks/${file}`, reason: 'hook', runsAt: 'git', source: 'commits' }),
    );
    expect(git(cwd, 'rev-parse', 'HEAD')).toBe(before);
  });
});

describeInBubblewrap('changes for editors, agents and shells', () => {
  const script = `mkdir .vscode && echo '{}' > .vscode/tasks.json && echo '{}' > .mcp.json && echo 'echo hi' > .envrc && ${COMMIT}`;
  const found = [
    ['.envrc', 'shell-startup', 'shell'],
    ['.mcp.json', 'agent-settings', 'agent'],
    ['.vscode/tasks.json', 'editor-settings', 'editor'],
  ].map(([path, reason, runsAt]) => ({ path, reason, runsAt, change: 'added', source: 'commits' }));

  it('are merged and reported', async () => {
    const cwd = makeRepository();
    const result = await run(runOptions(script, { cwd, sandbox: bubblewrap({ egress: 'none' }), ...MERGE }));
    expect(result.sensitiveChanges).toEqual(found);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(true);
  });

  it('are reported on a branch that is not merged', async () => {
    const options = {
      sandbox: bubblewrap({ egress: 'none' }),
      branchStrategy: { type: 'branch', branch: 'work' },
    };
    const result = await run(runOptions(script, options as Partial<RunOptions>));
    expect(result.sensitiveChanges).toEqual(found);
  });

  it('are refused with the policy `refuse`', async () => {
    const options = {
      sandbox: bubblewrap({ egress: 'none' }),
      ...MERGE,
      policies: { sensitiveChanges: 'error' },
    } as const;
    const error = await failureOf(run(runOptions(script, options)));
    expect(error).toMatchObject({ code: 'sensitive-changes', sensitiveChanges: found });
  });

  it('are an empty list for ordinary work', async () => {
    const ordinary = `mkdir -p src/objects config && echo 1 > src/objects/a.ts && echo 1 > config/HEAD && echo hi > AGENTS.md && ${COMMIT}`;
    const result = await run(runOptions(ordinary, { sandbox: bubblewrap({ egress: 'none' }), ...MERGE }));
    expect(result.sensitiveChanges).toEqual([]);
  });
});

describeInBubblewrap('a sandbox that is closed', () => {
  it('reports what its last command left, and moves a repository aside', async () => {
    const seed = LEFT_BEHIND[0] as Seed;
    const { cwd, mark } = prepare(seed);
    const warnings: string[] = [];
    const sandbox = await createSandbox({
      branch: 'work',
      cwd,
      sandbox: bubblewrap({ egress: 'none' }),
      onWarning: (message) => warnings.push(message),
    });
    await sandbox.exec(seed.script.replaceAll('MARK', mark));
    const { sensitiveChanges, preservedWorktreePath = '' } = await sandbox.close();
    expect(sensitiveChanges).toContainEqual(
      expect.objectContaining({ ...seed.expected, movedTo: 'sub/.git.truecast-quarantined' }),
    );
    expect(warnings).toContainEqual(expect.stringContaining('sub/.git'));
    useGit(preservedWorktreePath, seed.folders);
    expect(existsSync(mark)).toBe(false);
  });
});

describe('commits that cannot be listed', () => {
  const breakHistory = `mkdir .vscode && echo '{}' > .vscode/tasks.json && ${COMMIT} && middle=$(git rev-parse HEAD) && echo 2 > two.txt && ${COMMIT} && rm -f "$(git rev-parse --git-common-dir)/objects/$(echo $middle | cut -c1-2)/$(echo $middle | cut -c3-)"`;
  const branchStrategy = { type: 'branch', branch: 'work' } as const;

  it('are reviewed by their files', async () => {
    const result = await run(runOptions(breakHistory, { branchStrategy }));
    expect(result.commits).toEqual([]);
    expect(result.warnings).toContainEqual(expect.stringMatching(/commits could not all be listed/u));
    expect(result.sensitiveChanges).toContainEqual(
      expect.objectContaining({ path: '.vscode/tasks.json', source: 'commits' }),
    );
  });

  it('are reported as not reviewed when their files cannot be read either', async () => {
    const script = `${breakHistory}; rm -rf "$(git rev-parse --git-common-dir)"/objects/*; exit 1`;
    const error = await failureOf(run(runOptions(script, { branchStrategy })));
    expect(error).toMatchObject({ sensitiveChanges: [expect.objectContaining({ reason: 'not-reviewed' })] });
  });
});

describeInBubblewrap('a repository that an agent leaves among the files', () => {
  const head = { type: 'head' } as const;
  const others = [{ type: 'branch', branch: 'work' }, { type: 'merge-to-head' }] as const;
  const cases = LEFT_BEHIND.flatMap((seed, index) =>
    [head, ...(index === 0 ? others : [])].map((strategy) => ({ ...seed, strategy })),
  );

  it.each(cases)('runs nothing: $title, $strategy.type', async ({ strategy, ...seed }) => {
    const { cwd, mark } = prepare(seed);
    const result = await run(guestOptions(cwd, seed, mark, { branchStrategy: strategy }));
    const place = strategy.type === 'head' ? cwd : (result.preservedWorktreePath ?? cwd);
    expect(result.sensitiveChanges).toContainEqual(
      expect.objectContaining({ ...seed.expected, runsAt: 'git', movedTo: expect.any(String) }),
    );
    useGit(place, seed.folders);
    expect(existsSync(mark)).toBe(false);
  });

  it('is kept where it runs nothing, and reported', async () => {
    const script = 'git init -q sub && echo hi > sub/file';
    const options = { sandbox: bubblewrap({ egress: 'none' }), branchStrategy: { type: 'head' } } as const;
    const cwd = makeRepository();
    const result = await run(runOptions(script, { cwd, ...options }));
    expect(result.sensitiveChanges).toEqual([
      { path: 'sub/.git', reason: 'nested-repository', runsAt: 'git', change: 'added', source: 'files' },
    ]);
    expect(existsSync(join(cwd, 'sub/.git/HEAD'))).toBe(true);
    // It existed before the second run.
    expect((await run(runOptions('true', { cwd, ...options }))).sensitiveChanges).toEqual([]);
  });

  it('runs nothing when a rebase is continued', async () => {
    const seed: Seed = {
      title: '',
      script: `cd "$(git rev-parse --git-dir)" && mkdir rebase-merge && echo 'exec touch MARK' > rebase-merge/git-rebase-todo && echo refs/heads/main > rebase-merge/head-name && git rev-parse HEAD | tee rebase-merge/onto rebase-merge/orig-head > /dev/null; touch rebase-merge/interactive rebase-merge/end`,
      folders: ['.'],
      expected: { path: '', reason: 'unfinished-operation' },
    };
    const { cwd, mark } = prepare(seed);
    await run(guestOptions(cwd, seed, mark, { branchStrategy: { type: 'head' } }));
    spawnSync('git', ['rebase', '--continue'], { cwd, stdio: 'ignore' });
    expect(existsSync(mark)).toBe(false);
  });
});

function guestOptions(cwd: string, { script }: Seed, mark: string, changes: Partial<RunOptions>): RunOptions {
  return runOptions(script.replaceAll('MARK', mark), {
    cwd,
    sandbox: bubblewrap({ egress: 'none' }),
    ...changes,
  });
}

/** Runs the usual commands in the root and other folders, as a user does. Failures are ignored. */
function useGit(cwd: string, folders: readonly string[]): void {
  const commands = [
    'status',
    'diff',
    'log -p -3',
    'add -A',
    'checkout -q -- .',
    'commit -qm mine',
    'stash -u',
  ];
  const script = ['touch -c ./*', ...commands.map((command) => `git --no-pager ${command}`)].join('; ');
  for (const folder of folders) {
    const place = join(cwd, folder);
    if (existsSync(place)) spawnSync('sh', ['-c', script], { cwd: place, stdio: 'ignore' });
  }
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}
