/** State folder inside of a checkout: a guest that writes to the checkout could write logs, outcomes and the database there. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const saved = process.env['XDG_STATE_HOME'];
afterEach(() => void (process.env['XDG_STATE_HOME'] = saved));

const guest = { sandbox: bubblewrap({ egress: 'none' }) };
const refused = {
  name: 'UsageError',
  code: 'exposed-state-folder',
  message: expect.stringContaining('Set `XDG_STATE_HOME`'),
};

describeInBubblewrap('a checkout that contains the state folder', () => {
  it('is refused to a guest that works in it, whichever way it starts', async () => {
    const cwd = makeRepository();
    process.env['XDG_STATE_HOME'] = join(cwd, '.local/state');
    const script = 'echo forged >> .local/state/truecast/forged';
    await expect(
      run({ ...runOptions(script, { cwd, ...guest }), branchStrategy: { type: 'head' } }),
    ).rejects.toMatchObject(refused);
    // Its commits are checked out here, over what git ignores.
    await expect(
      run({ ...runOptions(script, { cwd, ...guest }), branchStrategy: { type: 'merge-to-head' } }),
    ).rejects.toMatchObject(refused);
    expect(existsSync(join(cwd, '.local/state/truecast/forged'))).toBe(false);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('is found through links, and where the folder does not exist yet', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, 'deep'));
    const link = join(temporaryFolder(), 'link');
    symlinkSync(join(cwd, 'deep'), link);
    process.env['XDG_STATE_HOME'] = join(link, 'not/there/yet');
    await expect(
      run({
        ...runOptions('true', { cwd, ...guest, logging: { type: 'stdout' } }),
        branchStrategy: { type: 'head' },
      }),
    ).rejects.toMatchObject(refused);
  });

  it('serves guests on other branches, which see their own worktree alone', async () => {
    const cwd = makeRepository();
    process.env['XDG_STATE_HOME'] = join(cwd, '.local/state');
    const script = `test -e '${cwd}/.local/state' && echo seen; echo forged 2>/dev/null >> '${cwd}/.local/state/truecast/forged'; true`;
    const options = {
      ...runOptions(script, { cwd, ...guest }),
      branchStrategy: { type: 'branch', branch: 'agent' },
    } as const;
    expect((await run(options)).stdout).not.toContain('seen');
    expect(existsSync(join(cwd, '.local/state/truecast/forged'))).toBe(false);
    await using sandbox = await createSandbox({ ...guest, branch: 'other', cwd });
    expect((await sandbox.exec('pwd')).exitCode).toBe(0);
  });
});

it('a checkout that contains the state folder serves agents without a sandbox, which have all rights anyway', async () => {
  const cwd = makeRepository();
  process.env['XDG_STATE_HOME'] = join(cwd, '.local/state');
  expect((await run(runOptions('echo hello', { cwd }))).stdout).toContain('hello');
});
