/** Submodules: what works, and the warning about what does not. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const MERGE = { branchStrategy: { type: 'merge-to-head' } } as const;
const ALLOW = 'git -c protocol.file.allow=always submodule update -q --init';

/** A repository with the submodule `sub`. */
function withSubmodule(): string {
  const cwd = makeRepository();
  const library = makeRepository('library');
  git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
  git(cwd, 'commit', '-qm', 'add a submodule');
  return cwd;
}

it('a worktree has no files of submodules, as in git, and the run says how to fill them', async () => {
  const cwd = withSubmodule();
  const result = await run(runOptions(`test ! -e sub/a.txt && ${commitLine('b.txt')}`, { cwd, ...MERGE }));
  expect(result.warnings).toEqual([
    expect.stringMatching(/^submodules: A worktree has no files of `sub`\. To fill them/u),
  ]);
  expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
});

it('a hook fills the submodules, and a commit of the agent in them is kept', async () => {
  const cwd = withSubmodule();
  const hooks = { host: { onWorktreeReady: [{ command: ALLOW }] } };
  const script = `cat sub/a.txt && cd sub && git config user.name a && git config user.email a@example.invalid && ${commitLine('c.txt')}`;
  const result = await run(runOptions(script, { cwd, ...MERGE, hooks }));
  expect(existsSync(join(result.preservedWorktreePath ?? '', 'sub', 'c.txt'))).toBe(true);
});

it('in `head` without a sandbox, submodules work as for the user', async () => {
  const cwd = withSubmodule();
  const script = `cd sub && git config user.name a && git config user.email a@example.invalid && ${commitLine('c.txt')}`;
  const result = await run(runOptions(script, { cwd, branchStrategy: { type: 'head' } }));
  expect(result.warnings).toEqual([]);
  expect(existsSync(join(dirname(cwd), 'repo', 'sub', 'c.txt'))).toBe(true);
});

describeInBubblewrap('in a sandbox', () => {
  it('an agent reads submodules that a hook has filled, and commits outside of them', async () => {
    const cwd = withSubmodule();
    const sandbox = bubblewrap({ egress: 'none' });
    const hooks = { host: { onWorktreeReady: [{ command: ALLOW }] } };
    const script = `cat sub/a.txt; ${commitLine('b.txt')}`;
    const result = await run(runOptions(script, { cwd, sandbox, ...MERGE, hooks }));
    expect(result.text).toContain('one');
    expect(result.commits).toHaveLength(1);
    expect(existsSync(join(cwd, 'b.txt'))).toBe(true);
    expect(result.warnings.join()).toContain('git does not work inside them');
  });

  it('a commit in a submodule of `head` fails, and the run has said so', async () => {
    const cwd = withSubmodule();
    const sandbox = bubblewrap({ egress: 'none' });
    const script = `cat sub/a.txt; cd sub && git commit --allow-empty -m x 2>&1 && exit 3; true`;
    const result = await run(runOptions(script, { cwd, sandbox, branchStrategy: { type: 'head' } }));
    expect(result.text).toContain('one');
    expect(result.warnings).toEqual([
      expect.stringMatching(/^submodules: The agent can read `sub` and cannot commit in them/u),
    ]);
  });
});
