/** Tests of D1: commits on a detached HEAD, on an own branch, on the caller's branch and in the stash. */
import { expect } from 'vitest';
import { matrixColumns } from '../matrix.ts';
import { commitLine, git, makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';

/** What agents do with their branch, and the message of the commit that they make there. */
const TRICKS = {
  'a detached HEAD': `git checkout -q --detach && ${commitLine('stray')}`,
  'a detached HEAD that it left': `git checkout -q --detach && ${commitLine('stray')} && git checkout -q -`,
  'an own branch': `git checkout -q -b mine && ${commitLine('stray')}`,
  'the stash': `echo stray > a.txt && git stash push -q -m 'add stray'`,
  "the caller's branch": `${commitLine('stray')} && git update-ref refs/heads/main HEAD`,
} as const;

/** Rows of the matrix: the short form tries each second trick on a route. It has no route but these two always. */
const ROWS: readonly AgentRouteName[] = ['chat', 'wire', ...(Object.keys(AGENT_ROUTES) as AgentRouteName[])];

async function keep(route: AgentRouteName): Promise<void> {
  const tried = matrixColumns(ROWS.indexOf(route), Object.entries(TRICKS), { rows: ROWS.length, stride: 2 });
  for (const [trick, script] of tried) {
    const repository = makeRepository();
    const main = git(repository, 'rev-parse', 'main');
    const outcome = await AGENT_ROUTES[route]({ repository, script });
    const kept = git(
      repository,
      'for-each-ref',
      '--format=%(refname) %(contents:subject)',
      'refs/truecast/recovered',
    )
      .split('\n')
      .filter((line) => line.endsWith(' add stray'));
    expect(kept, trick).toHaveLength(1);
    const [name = ''] = kept[0]?.split(' ') ?? [];
    expect([...outcome.warnings, outcome.message, outcome.output].join('\n'), trick).toContain(
      'refs/truecast/recovered/',
    );
    // The commits that it reports are on the branch that it names.
    const branch = outcome.branch ?? 'main';
    for (const sha of outcome.commits) {
      expect(
        git(repository, 'branch', '--contains', sha, '--format=%(refname:short)').split('\n'),
        trick,
      ).toContain(branch);
    }
    const sha = git(repository, 'rev-parse', name);
    const isOnBoth = trick === "the caller's branch";
    expect(outcome.commits.includes(sha), trick).toBe(isOnBoth && outcome.commits.length > 0);
    // Without a sandbox, nothing holds the agent back.
    expect([main, isOnBoth ? sha : main], trick).toContain(git(repository, 'rev-parse', 'main'));
  }
}

declareGuarantee('D1', {
  'run/none': () => keep('run/none'),
  'run/bubblewrap': () => keep('run/bubblewrap'),
  'run/podman': () => keep('run/podman'),
  kept: () => keep('kept'),
  batch: () => keep('batch'),
  chat: () => keep('chat'),
  wire: () => keep('wire'),
  runs: inBubblewrap(() => keep('runs')),
  command: () => keep('command'),
});
