/** Uncommitted work of the user in the checkout in which an agent starts: it is named in a warning. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions } from './fixture.ts';

const COMMIT = 'git commit -qam agent';
const WARNING = /^uncommitted: .* of yours in `loop\.ts`, `new\.ts`\. Its commits can contain them\./u;

function unsavedRepository(): string {
  const cwd = makeRepository();
  writeFileSync(join(cwd, 'loop.ts'), 'saved\n');
  git(cwd, 'add', 'loop.ts');
  git(cwd, 'commit', '-q', '-m', 'loop');
  writeFileSync(join(cwd, 'loop.ts'), 'saved\nan unsaved line\n');
  writeFileSync(join(cwd, 'new.ts'), 'new\n');
  return cwd;
}

const warningsOf = (warnings: readonly string[]): readonly string[] =>
  warnings.filter((warning) => warning.startsWith('uncommitted:'));

it('is named before an agent commits it, in the branch strategy `head`', async () => {
  const cwd = unsavedRepository();
  const events: string[] = [];
  const running = run(runOptions(COMMIT, { cwd }));
  for await (const event of running) events.push(event.type === 'warning' ? event.message : event.type);
  const { warnings } = await running;
  expect(git(cwd, 'show', '--stat', '--format=', 'HEAD')).toContain('loop.ts');
  expect(warningsOf(warnings)).toEqual([expect.stringMatching(WARNING)]);
  expect(events.findIndex((event) => WARNING.test(event))).toBeLessThan(events.indexOf('iteration-start'));
  expect(events.findIndex((event) => WARNING.test(event))).toBeGreaterThan(-1);
});

it('is not there in a clean checkout, and no concern of a worktree', async () => {
  const clean = await run(runOptions('true', { cwd: makeRepository() }));
  const cwd = unsavedRepository();
  const beside = await run(runOptions('true', { cwd, branchStrategy: { type: 'merge-to-head' } }));
  await using kept = await createWorktree({ cwd, branchStrategy: { type: 'branch', branch: 'kept' } });
  const { cwd: _cwd, branchStrategy: _strategy, ...options } = runOptions('true');
  const inKept = await kept.run({ ...options, sandbox: noSandbox() });
  for (const { warnings } of [clean, beside, inKept]) expect(warningsOf(warnings)).toEqual([]);
});

describeInBubblewrap('in bubblewrap', () => {
  it('is named too', async () => {
    const cwd = unsavedRepository();
    const { warnings } = await run(runOptions(COMMIT, { cwd, sandbox: bubblewrap({ egress: 'none' }) }));
    expect(warningsOf(warnings)).toEqual([expect.stringMatching(WARNING)]);
  });
});
