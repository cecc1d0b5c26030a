/**
 * Tests of clean and smudge filters: the user's filters run for every strategy, and no guest's
 * program runs on the host.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { declareFilters } from './declare-filters.ts';
import { FILTER_KINDS, makeFilteredRepository, makeFilterPrograms } from './filter-kinds.ts';
import { git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

describe('filters of a run on the host', () => declareFilters(FILTER_KINDS.slice(0, 2), () => noSandbox()));

describeInBubblewrap('filters of a run in bubblewrap', () =>
  declareFilters(FILTER_KINDS, (programs) =>
    bubblewrap({ egress: 'none', mounts: [{ hostPath: programs, sandboxPath: programs, readonly: true }] }),
  ),
);

/** Redirects plain `git config --global` of this test to a separate file. */
function useGlobalConfig(entries: Readonly<Record<string, string>>): string {
  const path = join(temporaryFolder(), 'gitconfig');
  process.env['GIT_CONFIG_GLOBAL'] = path;
  for (const [key, value] of Object.entries(entries)) git('/', 'config', '--file', path, key, value);
  return path;
}

const ROT = { clean: 'tr a-z b-za', smudge: 'tr b-za a-z' };
const EDIT = `echo fresh > n.enc && git add -A && git commit -q -m work`;
const QUIET = bubblewrap({ egress: 'none' });

describeInBubblewrap('filters that a guest could misuse', () => {
  afterEach(() => {
    delete process.env['GIT_CONFIG_GLOBAL'];
  });

  it('configures inside what the user configured for all repositories, attribute file included', async () => {
    const attributes = join(temporaryFolder(), 'attributes');
    writeFileSync(attributes, '*.enc filter=everywhere\n');
    useGlobalConfig({
      'filter.everywhere.clean': ROT.clean,
      'filter.everywhere.smudge': ROT.smudge,
      'core.attributesFile': attributes,
    });
    const cwd = makeRepository();
    const result = await run(
      runOptions(EDIT, { cwd, sandbox: QUIET, branchStrategy: { type: 'merge-to-head' } }),
    );
    expect(git(cwd, 'cat-file', 'blob', 'HEAD:n.enc')).toBe('gsfti');
    expect(readFileSync(join(cwd, 'n.enc'), 'utf8')).toBe('fresh\n');
    expect(result.warnings).toEqual([]);
  });

  it('refuses the run before the agent where the program is missing inside', async () => {
    const programs = makeFilterPrograms();
    const cwd = makeFilteredRepository({
      clean: `${programs}/git-crypt clean`,
      smudge: `${programs}/git-crypt smudge`,
    });
    await expect(
      run(runOptions('touch agent-ran', { cwd, sandbox: QUIET, branchStrategy: { type: 'head' } })),
    ).rejects.toMatchObject({
      name: 'UsageError',
      code: 'unsupported',
      message: expect.stringMatching(/filter `secret`.*`bubblewrap`.*git-crypt/u),
    });
    expect(existsSync(join(cwd, 'agent-ran'))).toBe(false);
  });

  it('commits nothing when a filter fails inside, though the user does not require it', async () => {
    const programs = makeFilterPrograms();
    const cwd = makeFilteredRepository({ clean: `${programs}/keyed` });
    writeFileSync(join(programs, 'keyed'), `#!/bin/sh\n[ -e ${programs}/key ] && exec tr a-z b-za\nexit 1\n`);
    chmodSync(join(programs, 'keyed'), 0o755);
    const sandbox = bubblewrap({
      egress: 'none',
      mounts: [{ hostPath: join(programs, 'keyed'), sandboxPath: join(programs, 'keyed'), readonly: true }],
    });
    const script = `echo plain > n.enc; git add -A || echo refused`;
    const result = await run(runOptions(script, { cwd, sandbox, branchStrategy: { type: 'head' } }));
    expect(result.stdout).toBe('refused\n');
    expect(git(cwd, 'ls-files', 'n.enc')).toBe('');
  });

  it.each([
    { title: 'a fast-forward', meanwhile: 'true' },
    { title: 'a merge', meanwhile: 'echo m > m.txt && git add m.txt && git commit -q -m meanwhile' },
  ])('leaves the checkout as it is when a required filter fails in $title', async ({ meanwhile }) => {
    const programs = makeFilterPrograms();
    const smudge = join(programs, 'smudge');
    // Fails on the second file only, so git has written the first one.
    writeFileSync(
      smudge,
      `#!/bin/sh\n[ "$1" = z.enc ] && [ -e '${programs}/stop' ] && exit 1\nexec tr b-za a-z\n`,
    );
    chmodSync(smudge, 0o755);
    const cwd = makeFilteredRepository({ clean: ROT.clean, smudge: `${smudge} %f`, required: 'true' });
    const sandbox = bubblewrap({
      egress: 'none',
      mounts: [{ hostPath: programs, sandboxPath: programs, readonly: true }],
    });
    const merging = run({
      ...runOptions(`echo a > b.enc && echo b > z.enc && git add -A && git commit -q -m work`, {
        cwd,
        sandbox,
      }),
      branchStrategy: { type: 'merge-to-head' },
      hooks: {
        host: { onSandboxReady: [{ command: `cd '${cwd}' && ${meanwhile} && touch '${programs}/stop'` }] },
      },
    });
    await expect(merging).rejects.toMatchObject({
      code: 'merge-conflict',
      message: expect.stringMatching(/required filter `secret` failed on `z\.enc`/u),
    });
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(git(cwd, 'branch', '--list', 'truecast/*')).not.toBe('');
  });

  it('runs no filter on the host whose module a guest could write beside it', async () => {
    const ran = join(temporaryFolder(), 'ran');
    // One file: each start of the filter takes as long as ten gits.
    const python = { clean: 'python3 -m base64 -e', smudge: 'python3 -m base64 -d' };
    const cwd = makeFilteredRepository(python, { 'x.enc': 'hello\n' });
    const neutral = 'git -c filter.secret.clean= -c filter.secret.required=false';
    const script = `printf 'open("${ran}", "w")' > base64.py && ${neutral} add base64.py && ${neutral} commit -q -m evil && touch x.enc`;
    const options = { cwd, sandbox: QUIET, branchStrategy: { type: 'branch', branch: 'work' } } as const;
    await run(runOptions(script, options));
    await run(runOptions('touch y.enc', options));
    expect(existsSync(ran)).toBe(false);
  });

  it('refuses a new worktree for a filter that is a script of the repository, and runs it inside with `head`', async () => {
    const ran = join(temporaryFolder(), 'ran');
    const cwd = makeFilteredRepository({ clean: 'sh rot.sh a-z b-za', smudge: 'sh rot.sh b-za a-z' });
    writeFileSync(join(cwd, 'rot.sh'), 'exec tr "$1" "$2"\n');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'filter');
    const script = `echo fresh > n.enc && git add -A && git commit -q -m work && echo 'touch ${ran}; exec cat' > rot.sh; touch x.enc`;
    const merging = { cwd, sandbox: QUIET, branchStrategy: { type: 'merge-to-head' } } as const;
    await expect(run(runOptions(script, merging))).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/filter `secret`.*`rot\.sh`, a file of the repository/u),
    });
    expect(git(cwd, 'branch', '--list', 'truecast/*')).toBe('');
    const result = await run(runOptions(script, { cwd, sandbox: QUIET, branchStrategy: { type: 'head' } }));
    expect(git(cwd, 'cat-file', 'blob', 'HEAD:n.enc')).toBe('gsfti');
    expect(result.warnings).toContainEqual(
      expect.stringMatching(/filter `secret` runs only inside the sandbox/u),
    );
    expect(existsSync(ran)).toBe(false);
  });

  it('does not turn on a filter on the host for a file that the guest gave it to', async () => {
    const programs = makeFilterPrograms();
    const seen = join(programs, 'seen');
    writeFileSync(join(programs, 'log'), `#!/bin/sh\necho "$1" >> ${seen} 2>/dev/null\nexec cat\n`, {
      mode: 0o755,
    });
    const cwd = makeFilteredRepository({ clean: `${programs}/log %f` });
    writeFileSync(seen, '');
    const sandbox = bubblewrap({
      egress: 'none',
      mounts: [{ hostPath: programs, sandboxPath: programs, readonly: true }],
    });
    const script = `echo '* filter=secret' > .gitattributes && touch a.txt x.enc`;
    const result = await run(
      runOptions(script, { cwd, sandbox, branchStrategy: { type: 'branch', branch: 'work' } }),
    );
    expect(readFileSync(seen, 'utf8')).not.toContain('a.txt');
    expect(result.preservedWorktreePath).toBeDefined();
  });
});
