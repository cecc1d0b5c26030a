/** Commits without a name that an agent leaves in a kept sandbox: each one is reported by one run. */
import { expect, it } from 'vitest';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrapIsMissing } from '../describe-in-bubblewrap.ts';
import { describeUnless } from '../needs.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

const FIRST = `git checkout -q --detach; ${commitLine('left')}; git checkout -q -; echo half > a.txt; git stash -q`;
const LATER = `git checkout -q --detach; ${commitLine('detached')}`;

const SANDBOXES: readonly (readonly [string, () => SandboxProvider])[] = [
  ['noSandbox', () => noSandbox()],
  ['bubblewrap', () => bubblewrap({ egress: 'none' })],
];

for (const [name, sandbox] of SANDBOXES) {
  const reason = name === 'bubblewrap' ? bubblewrapIsMissing : undefined;
  describeUnless(reason, name, () => {
    it('reports each of them once', async () => {
      const cwd = makeRepository();
      await using kept = await createSandbox({ cwd, branch: 'work', sandbox: sandbox() });
      const reports: string[][] = [];
      for (const script of [FIRST, 'echo more > more.txt', LATER, 'echo again > more.txt']) {
        const { agent } = runOptions(script, { cwd });
        const { recovered = [], warnings } = await kept.run({
          agent,
          prompt: 'Work.',
          logging: { type: 'file' },
        });
        for (const { ref, sha } of recovered) expect(git(cwd, 'rev-parse', ref)).toBe(sha);
        expect(warnings.filter((text) => text.includes('refs/truecast/recovered/'))).toHaveLength(
          recovered.length,
        );
        reports.push(recovered.map(({ sha }) => git(cwd, 'log', '-1', '--format=%s', sha)));
      }
      expect(reports.map((subjects) => subjects.map((text) => text.replace(/:.*/u, '')).toSorted())).toEqual([
        ['WIP on work', 'add left'],
        [],
        ['add detached'],
        [],
      ]);
    });
  });
}
