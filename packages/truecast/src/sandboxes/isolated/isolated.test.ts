import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { itWhole, matrixRow } from '../../../../../test/matrix.ts';
import { localIsolatedSandbox } from '../../../../testing/src/local-isolated-sandbox.ts';
import { claudeCode } from '../../agents/claude-code/claude-code.ts';
import { command } from '../../agents/command.ts';
import { createSandbox } from '../../run/create-sandbox.ts';
import {
  cleanUp,
  commit,
  newRepository,
  plainGit,
  temporaryFolder,
  writeIn,
} from '../../git/test-repository.ts';
import { run } from '../../run/run.ts';
import type { RunOptions, RunResult } from '../../run/options/run-options.ts';
import { stateFolderOf } from '@truecast/host/internal/state-folder';

afterEach(cleanUp);

// A run takes 4 s of processor time: the short form tries hostile guests, the default, and a fifth of the others.
// Row 1 is that of lost work. Tests outside of a `describe` are the first columns.
const itInTurns = matrixRow(1, { rows: 5, stride: 5 });

const ON_WORK = { branchStrategy: { type: 'branch', branch: 'work' } } as const;

/** Runs a shell script as the agent. */
function runScript(cwd: string, script: string, options: Partial<RunOptions> = {}): Promise<RunResult> {
  const asked: RunOptions = {
    agent: command({ command: 'sh' }),
    sandbox: localIsolatedSandbox(),
    branchStrategy: { type: 'merge-to-head' },
    cwd,
    prompt: `set -e\n${script}`,
    ...options,
  };
  return run(asked);
}

function worktreeOf(repository: string): string {
  const folder = join(repository, '.truecast', 'worktrees');
  return join(folder, readdirSync(folder).find((name) => name.startsWith('work-')) ?? 'none');
}

/** Returns the message of a run that fails. */
function messageOf(running: Promise<unknown>): Promise<string> {
  return running.then(() => 'it succeeded', String);
}

function recovered(repository: string): string[] {
  const folder = join(stateFolderOf(repository), 'recovered');
  try {
    return readdirSync(folder).filter((name) => name !== '.gitignore');
  } catch {
    return [];
  }
}

describe('commits', () => {
  it('are merged into the checked-out branch by default', async () => {
    const repository = newRepository();
    const { commits, branch } = await runScript(
      repository,
      'echo two > b.txt; git add .; git commit -qm two',
    );
    expect(branch).toBe('main');
    expect(plainGit(repository, 'rev-parse', 'HEAD')).toBe(commits[0]?.sha);
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('two\n');
    expect(plainGit(repository, 'status', '--porcelain')).toBe('');
    expect(plainGit(repository, 'for-each-ref', 'refs/truecast')).toBe('');
    expect(recovered(repository)).toEqual([]);
  });

  itInTurns('come with the same ids: merges, empty ones, dates and authors', async () => {
    const repository = newRepository();
    const {
      commits,
      stdout,
      recovered: aside,
    } = await runScript(
      repository,
      `git checkout -qb side; GIT_AUTHOR_DATE='2001-02-03T04:05:06+0700' git commit -q --allow-empty -m empty --author='Ä <ä@x>'
       git checkout -q work; echo w > w; git add w; git commit -qm w
       git merge -q --no-ff -m merge side; git log --topo-order --reverse --format='%H %an %aI %s' main..`,
      ON_WORK,
    );
    const log = plainGit(
      repository,
      'log',
      '--topo-order',
      '--reverse',
      '--format=%H %an %aI %s',
      'main..work',
    );
    expect(log).toBe(stdout.trim());
    expect(
      log
        .split('\n')
        .map((line) => line.slice(0, 40))
        .toSorted(),
    ).toEqual(commits.map(({ sha }) => sha).toSorted());
    expect(commits).toHaveLength(3);
    expect(log).toContain('Ä 2001-02-03T04:05:06+07:00 empty');
    expect(aside).toMatchObject([
      { from: 'refs/heads/side', sha: plainGit(repository, 'rev-parse', 'work^2') },
    ]);
  });

  itInTurns('come back when the branch was rewritten', async () => {
    const repository = newRepository();
    await runScript(repository, 'echo 1 > one; git add .; git commit -qm one', ON_WORK);
    await runScript(
      repository,
      'git commit -q --amend -m other; git commit -q --allow-empty -m more',
      ON_WORK,
    );
    expect(plainGit(repository, 'log', '--format=%s', 'main..work')).toBe('more\nother');
    await runScript(repository, 'git reset -q --hard main', ON_WORK);
    expect(plainGit(repository, 'rev-parse', 'work')).toBe(plainGit(repository, 'rev-parse', 'main'));
    // A clean worktree is removed.
    expect(existsSync(worktreeOf(repository))).toBe(false);
  });

  itInTurns('of a detached HEAD are kept, and are not on the branch', async () => {
    const repository = newRepository();
    const { commits, recovered: kept = [] } = await runScript(
      repository,
      'git checkout -q --detach; git commit -q --allow-empty -m detached; git rev-parse HEAD',
      ON_WORK,
    );
    expect(commits).toEqual([]);
    expect(kept.map(({ ref }) => plainGit(repository, 'log', '-1', '--format=%s', ref))).toEqual([
      'detached',
    ]);
  });

  for (const [end, script] of [
    ['stays there', ''],
    ['comes back', 'git switch -q -'],
  ] as const) {
    itWhole(`of a branch of an agent that ${end} are kept aside, listed, and make no branch`, async () => {
      const repository = newRepository();
      const result = await runScript(
        repository,
        `git switch -q -c mine; git commit -q --allow-empty -m other; ${script}`,
        ON_WORK,
      );
      expect(result.commits).toEqual([]);
      expect(result.recovered?.map(({ from }) => from)).toEqual(['refs/heads/mine']);
      const [{ ref, sha } = { ref: '', sha: '' }] = result.recovered ?? [];
      expect(ref).toMatch(/^refs\/truecast\/recovered\/[^/]+\/heads\/mine$/u);
      expect(plainGit(repository, 'log', '-1', '--format=%s', ref)).toBe('other');
      expect(plainGit(repository, 'rev-parse', ref)).toBe(sha);
      expect(result.warnings).toEqual([
        `The agent's \`refs/heads/mine\` is not the run's branch; it is kept as \`${ref}\`. Show it with \`git log ${ref}\`.`,
      ]);
      expect(plainGit(repository, 'branch', '--list', 'mine')).toBe('');
    });
  }

  itInTurns('in the middle of a rebase, and stash entries, stay inside, and each is told once', async () => {
    const repository = newRepository();
    const agents = [command({ command: 'sh' })];
    await using kept = await createSandbox({
      cwd: repository,
      branch: 'work',
      sandbox: localIsolatedSandbox(),
      agents,
    });
    const warningsOf = async (script: string): Promise<readonly string[]> =>
      (await kept.run({ agent: command({ command: 'sh' }), prompt: `set -e\n${script}` })).warnings;
    const change = (text: string): string => `echo ${text} > a.txt; git commit -qam ${text}`;
    const stash = (text: string): string => `echo ${text} > b.txt; git add b.txt; git stash -q`;
    const rebase = `${change('ours')}; git checkout -qb base HEAD~1; ${change('theirs')}; git switch -q work; ! git rebase -q base >/dev/null 2>&1`;
    expect(await warningsOf(`${stash('one')}; ${stash('two')}; ${rebase}`)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('left a merge or rebase unfinished in the sandbox'),
        expect.stringContaining('left 2 entries in the stash of the sandbox'),
      ]),
    );
    expect((await warningsOf('echo more > more.txt')).join('\n')).not.toMatch(/unfinished|stash/u);
  });

  itInTurns('of an agent that failed come back, and so do its files', async () => {
    const repository = newRepository();
    const failure = await runScript(
      repository,
      'git commit -q --allow-empty -m done; echo draft > draft; exit 3',
      ON_WORK,
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'exit', branch: 'work', commits: [{}] });
    expect(plainGit(repository, 'log', '-1', '--format=%s', 'work')).toBe('done');
    expect(readFileSync(join(worktreeOf(repository), 'draft'), 'utf8')).toBe('draft\n');
  });

  itInTurns('come back when the run is aborted', async () => {
    const repository = newRepository();
    const stop = new AbortController();
    const running = runScript(repository, 'git commit -q --allow-empty -m kept; echo ready; sleep 60', {
      ...ON_WORK,
      signal: stop.signal,
      logging: {
        type: 'file',
        onAgentStreamEvent: (event) => {
          if (event.type === 'text') stop.abort(new RangeError('enough'));
        },
      },
    });
    await expect(running).rejects.toThrow('enough');
    expect(plainGit(repository, 'log', '-1', '--format=%s', 'work')).toBe('kept');
  });

  itInTurns('of a branch that is not the run’s own are kept aside', async () => {
    const repository = newRepository();
    const before = plainGit(repository, 'rev-parse', 'main');
    const { warnings } = await runScript(
      repository,
      'git branch -f main $(git commit-tree -p HEAD -m sneaky HEAD^{tree})',
      ON_WORK,
    );
    expect(plainGit(repository, 'rev-parse', 'main')).toBe(before);
    const reference = /`(refs\/truecast\/recovered\/[^`]+)`/u.exec(warnings.join('\n'))?.[1] ?? '';
    expect(plainGit(repository, 'log', '-1', '--format=%s', reference)).toBe('sneaky');
  });
});

describe('uncommitted work', () => {
  itInTurns(
    'comes back as it was: changes, new files, deletions, binaries, modes, links, names, what is staged',
    async () => {
      const repository = newRepository();
      for (const name of ['gone.txt', 'staged.txt', 'run.sh', 'binary']) {
        commit(repository, name, `${name}\n`);
      }
      const { preservedWorktreePath } = await runScript(
        repository,
        String.raw`echo more >> a.txt; rm gone.txt; chmod +x run.sh; head -c 70000 /dev/urandom > binary; cp binary copy; sha1sum binary
       echo staged > staged.txt; git add staged.txt; echo both >> staged.txt; mkdir -p 'new folder'; printf 'no newline' > 'new folder/ä "q"
line'; ln -s ../a.txt 'new folder/link'`,
        ON_WORK,
      );
      const path = worktreeOf(repository);
      expect(preservedWorktreePath).toBe(path);
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\nmore\n');
      expect(readFileSync(join(path, 'new folder', 'ä "q"\nline'), 'utf8')).toBe('no newline');
      expect(readlinkSync(join(path, 'new folder', 'link'))).toBe('../a.txt');
      expect(statSync(join(path, 'run.sh')).mode & 0o111).not.toBe(0);
      expect(readFileSync(join(path, 'binary'))).toEqual(readFileSync(join(path, 'copy')));
      expect(statSync(join(path, 'binary')).size).toBe(70_000);
      expect(plainGit(path, 'status', '--porcelain', '--untracked-files=all').split('\n').toSorted()).toEqual(
        [
          ' D gone.txt',
          ' M a.txt',
          ' M binary',
          ' M run.sh',
          '?? "new folder/\\303\\244 \\"q\\"\\nline"',
          '?? "new folder/link"',
          '?? copy',
          'MM staged.txt',
        ].toSorted(),
      );
      expect(plainGit(path, 'show', ':staged.txt')).toBe('staged');
    },
  );

  itInTurns('of an earlier run is there in the next, and goes when it is deleted inside', async () => {
    const repository = newRepository();
    await runScript(repository, 'echo draft > draft; echo x >> a.txt; git add a.txt', ON_WORK);
    const { stdout } = await runScript(
      repository,
      'git status --porcelain; rm draft; git checkout -q HEAD a.txt',
      ON_WORK,
    );
    expect(stdout.trim()).toBe('M  a.txt\n?? draft');
    expect(plainGit(worktreeOf(repository), 'status', '--porcelain')).toBe('');
  });

  itInTurns('that git ignores stays inside, and travels in when it is named', async () => {
    const repository = newRepository();
    commit(repository, '.gitignore', '.env\nmodules\nout\n');
    writeIn(repository, '.env', 'KEY=1\n');
    writeIn(repository, 'modules/deep/file', 'm\n');
    const { stdout } = await runScript(repository, 'cat .env modules/deep/file; echo o > out; echo x > new', {
      ...ON_WORK,
      copyToWorktree: ['.env', 'modules', 'absent'],
    });
    expect(stdout).toBe('KEY=1\nm\n');
    expect(readdirSync(worktreeOf(repository))).not.toContain('out');
  });

  it('is not written through links that lead out, nor as such links', async () => {
    const repository = newRepository();
    const outside = temporaryFolder();
    const { warnings } = await runScript(
      repository,
      `ln -s ${outside} far; ln -s ../../.. up; ln -s .git/hooks hooks; ln -s a.txt near; mkdir d; ln -s ../a.txt d/near`,
      ON_WORK,
    );
    expect(readdirSync(worktreeOf(repository)).toSorted()).toEqual(['.git', 'a.txt', 'd', 'near']);
    expect(warnings.filter((warning) => warning.includes('its target is outside')).length).toBe(3);
    expect(lstatSync(join(worktreeOf(repository), 'd', 'near')).isSymbolicLink()).toBe(true);
  });

  itInTurns('in a nested repository is saved as an archive', async () => {
    const repository = newRepository();
    const { warnings } = await runScript(
      repository,
      'git init -q nested; cd nested; echo n > n; git add .; git -c user.name=n -c user.email=n@n commit -qm n; echo m > m',
      ON_WORK,
    );
    const [folder = ''] = recovered(repository);
    const archive = join(stateFolderOf(repository), 'recovered', folder, 'repositories.tar.gz');
    expect(warnings.join('\n')).toContain(archive);
    const target = temporaryFolder();
    plainGit(target, '-c', `alias.untar=!tar -C ${target} -xzf`, 'untar', archive);
    expect(readFileSync(join(target, 'nested', 'm'), 'utf8')).toBe('m\n');
    expect(plainGit(repository, 'status', '--porcelain')).toBe('');
  });
});

describe('a guest', () => {
  it('cannot bring objects that git refuses', async () => {
    const repository = newRepository();
    const failure = await runScript(
      repository,
      String.raw`blob=$(echo evil | git hash-object -w --stdin); inner=$(printf '100644 blob %s\tconfig\n' $blob | git mktree)
       tree=$(printf '040000 tree %s\t.git\n' $inner | git mktree); git update-ref refs/heads/work $(git commit-tree $tree -p HEAD -m evil)`,
      ON_WORK,
    ).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SandboxError);
    expect(failure).toMatchObject({ code: 'sync' });
    expect(plainGit(repository, 'rev-parse', 'work')).toBe(plainGit(repository, 'rev-parse', 'main'));
    const saved = /`([^`]+\.bundle)`/u.exec(String(failure))?.[1] ?? '';
    expect(statSync(saved).size).toBeGreaterThan(0);
  });

  itInTurns('that removed its repository leaves its files in an archive', async () => {
    const repository = newRepository();
    const failure = await messageOf(runScript(repository, 'rm -rf .git; echo left > left', ON_WORK));
    expect(failure).toMatch(/All work is saved as `.+files\.tar\.gz`/u);
  });
});

describe('the host', () => {
  itInTurns('keeps concurrent changes on the host, and saves the guest’s work', async () => {
    const repository = newRepository();
    const failure = await messageOf(
      runScript(repository, 'echo guest > a.txt; git commit -qam guest', {
        ...ON_WORK,
        hooks: { host: { onSandboxReady: [{ command: 'echo host > a.txt' }] } },
      }),
    );
    expect(failure).toContain('could not be copied to the host');
    expect(readFileSync(join(worktreeOf(repository), 'a.txt'), 'utf8')).toBe('host\n');
    const saved = /`([^`]+\.bundle)`/u.exec(failure)?.[1] ?? '';
    plainGit(repository, 'fetch', '-q', saved, '+refs/*:refs/recovered/*');
    expect(plainGit(repository, 'show', 'refs/recovered/heads/work:a.txt')).toBe('guest');
  });

  itInTurns('sees two runs at once, each on its branch', async () => {
    const repository = newRepository();
    await Promise.all(
      ['one', 'two'].map((branch) =>
        runScript(repository, `echo ${branch} > ${branch}; git add .; git commit -qm ${branch}`, {
          branchStrategy: { type: 'branch', branch },
        }),
      ),
    );
    expect(plainGit(repository, 'log', '-1', '--format=%s', 'one')).toBe('one');
    expect(plainGit(repository, 'log', '-1', '--format=%s', 'two')).toBe('two');
  });

  itInTurns('may be a shallow clone', async () => {
    const origin = newRepository();
    for (const name of ['b', 'c']) commit(origin, name, name);
    const folder = temporaryFolder();
    plainGit(folder, 'clone', '-q', '--depth=1', `file://${origin}`, 'shallow');
    const repository = join(folder, 'shallow');
    plainGit(repository, 'config', 'user.name', 'Test');
    plainGit(repository, 'config', 'user.email', 'test@localhost');
    const { commits } = await runScript(repository, 'git commit -q --allow-empty -m on', ON_WORK);
    expect(commits).toHaveLength(1);
    expect(plainGit(repository, 'rev-list', '--count', 'work')).toBe('2');
  });

  itInTurns('may store objects by SHA-256', async () => {
    const repository = join(temporaryFolder(), 'sha256');
    plainGit(temporaryFolder(), 'init', '-q', '-b', 'main', '--object-format=sha256', repository);
    plainGit(repository, 'config', 'user.name', 'Test');
    plainGit(repository, 'config', 'user.email', 'test@localhost');
    commit(repository, 'a.txt', 'one\n');
    const { commits } = await runScript(repository, 'git commit -q --allow-empty -m on', ON_WORK);
    expect(commits[0]?.sha).toHaveLength(64);
  });
});

describe('a connection that is cut', () => {
  itInTurns('for a moment is no failure', async () => {
    const repository = newRepository();
    let copies = 0;
    const sandbox = localIsolatedSandbox({
      wrap: (handle) => ({
        ...handle,
        async copyFileOut(from, to) {
          copies += 1;
          if (copies === 1) throw new Error('connection reset');
          await handle.copyFileOut(from, to);
        },
      }),
    });
    await runScript(repository, 'git commit -q --allow-empty -m on', { ...ON_WORK, sandbox });
    expect(plainGit(repository, 'log', '-1', '--format=%s', 'work')).toBe('on');
  });

  itInTurns('in the middle of a file for good leaves the machine running, and says so', async () => {
    const repository = newRepository();
    let isClosed = false;
    const sandbox = localIsolatedSandbox({
      wrap: (handle) => ({
        ...handle,
        async copyFileOut(_from, to) {
          writeIn(to, '../part', 'half');
          throw new Error('connection reset');
        },
        async close() {
          isClosed = true;
          await handle.close();
        },
      }),
    });
    const failure = await runScript(repository, 'git commit -q --allow-empty -m on', {
      ...ON_WORK,
      sandbox,
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'sync' });
    expect(String(failure)).toContain('still running');
    expect(isClosed).toBe(false);
  });
});

it('refuses to work in the caller’s own checkout', async () => {
  const repository = newRepository();
  const failure = await runScript(repository, 'true', { branchStrategy: { type: 'head' } }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(UsageError);
  expect(String(failure)).toContain('merge-to-head');
});

itInTurns('a sandbox that stays brings work back after each run and at its end', async () => {
  const repository = newRepository();
  const sandbox = await createSandbox({
    branch: 'work',
    sandbox: localIsolatedSandbox(),
    cwd: repository,
  });
  const agent = command({ command: 'sh' });
  const first = await sandbox.run({ agent, prompt: 'git commit -q --allow-empty -m one' });
  expect(plainGit(repository, 'log', '-1', '--format=%s', 'work')).toBe('one');
  const second = await sandbox.run({ agent, prompt: 'echo two > two; git add .; git commit -q -m two' });
  expect([first.commits.length, second.commits.length]).toEqual([1, 1]);
  await sandbox.exec('echo late > late');
  const { preservedWorktreePath } = await sandbox.close();
  expect(readFileSync(join(preservedWorktreePath ?? '', 'late'), 'utf8')).toBe('late\n');
});

itInTurns(
  'a sandbox that stays keeps sessions, which come to the host and go to the next machine',
  async () => {
    const repository = newRepository();
    const root = temporaryFolder();
    const session = '213b01b2-bdfb-4311-ae8c-278749623d07';
    // Prints like Claude Code, and writes its session to the same place.
    const line = (type: string, rest: object): string =>
      JSON.stringify({ type, session_id: session, ...rest });
    writeIn(
      root,
      'claude',
      `#!/bin/sh
folder=$HOME/.claude/projects/$(pwd | sed 's/[^a-zA-Z0-9]/-/g'); mkdir -p "$folder"; file=$folder/${session}.jsonl
seen=$(cat "$file" 2>/dev/null | wc -l); printf '{"type":"user","cwd":"%s","sessionId":"${session}"}\\n' "$(pwd)" >> "$file"
printf '%s\\n' '${line('system', { subtype: 'init' })}'
printf '%s\\n' "$(printf '%s' '${line('result', { subtype: 'success', is_error: false, result: 'SEEN' })}' | sed "s/SEEN/seen $seen/")"
`,
      0o755,
    );
    const agent = claudeCode('m', {
      env: { PATH: `${root}:${process.env['PATH'] ?? ''}` },
      sessionStorage: { hostProjectsDir: join(root, 'projects') },
    });
    const first = await run({ agent, sandbox: localIsolatedSandbox(), cwd: repository, prompt: 'x' });
    expect(first.stdout).toBe('seen 0');
    const next = await first.resume?.('again');
    expect(next?.stdout).toBe('seen 1');
  },
);
