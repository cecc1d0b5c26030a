/**
 * Cancellation of an agent run in each phase, while its worker waits after a commit. The worker, git and the sandbox
 * are real.
 */
import { expect, it } from 'vitest';
import { ChatStateError } from '../../packages/core/src/errors/chat-state-error.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixColumns } from '../matrix.ts';
import { git } from '../run/fixture.ts';
import { CLAUDE, makeRunWorld, OWNER } from './run-world.ts';

const SCRIPT = [CLAUDE.begin, CLAUDE.session, CLAUDE.commit('half'), CLAUDE.answer(42)];

/** Phase of the run, what became of its cancellation, and its end. The short form tries two on each database. */
const CASES = [
  ['preparing', 'accepted', 'canceled'],
  ['answered', 'not-allowed', 'succeeded'],
  ['settled', 'not-allowed', 'succeeded'],
  ['working', 'accepted', 'canceled'],
] as const;

describeInBubblewrap('a run that is canceled', () => {
  describeOnBothStores('in a phase', (fixture) => {
    it(
      'ends as canceled before its answer is accepted, and succeeds after it',
      { timeout: 120_000 },
      async () => {
        const url = await fixture.freshUrl();
        const store = await fixture.open(url);
        // A fast machine would store the last phase together with the end.
        const world = await makeRunWorld({ store, url, script: SCRIPT, times: { joinMs: 0 } });
        const { machine } = world;
        let created = Promise.withResolvers<string>();
        let wanted: string | undefined;
        let outcome: string | undefined;
        const worker = await world.start({
          onPoint: async (point) => {
            // Before a commit, SQLite lets no other process write.
            if (!point.startsWith('after ')) return;
            const runId = await created.promise;
            const { phase } = await machine.readRun({ owner: OWNER, runId });
            if (phase !== wanted || outcome !== undefined) return;
            outcome = await machine.requestCancel({ owner: OWNER, runId }).then(
              () => 'accepted',
              (error: unknown) => (ChatStateError.isInstance(error) ? error.code : String(error)),
            );
          },
        });
        const seen: unknown[] = [];
        const cases = matrixColumns(fixture.row, CASES, { rows: 2 });
        for (const [phase] of cases) {
          [outcome, wanted, created] = [undefined, phase, Promise.withResolvers<string>()];
          const { id } = await machine.createRun({
            owner: OWNER,
            request: { repository: 'web', agent: 'claude-code', prompt: 'Count.' },
          });
          created.resolve(id);
          const run = await world.ended(id);
          const events = await machine.listRunEvents({ runId: id, after: 0, limit: 1_000 });
          expect(events.filter(({ data }) => data.startsWith('{"type":"receipt"'))).toHaveLength(1);
          // No commit is lost: the receipt names all of the branch.
          const branch = `truecast/runs/${id}`;
          const isThere = git(world.cwd, 'branch', '--list', branch) !== '';
          const commits = isThere ? git(world.cwd, 'rev-list', '--reverse', `main..${branch}`) : '';
          expect((run.result?.commits ?? []).join('\n')).toBe(commits);
          seen.push([phase, outcome, run.status]);
        }
        await worker.kill();
        expect(seen).toEqual(cases);
      },
    );
  });
});
