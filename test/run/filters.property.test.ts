/** Property of filters: no plaintext of a filtered file is committed, and no file is cleaned twice. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRuns } from '../matrix.ts';
import { FILTER_KINDS, makeFilterPrograms, type FilterKind } from './filter-kinds.ts';
import { checkFilters, filterSequence, prepareFilters, type FilterStep } from './filter-sequences.ts';
import { git, makeRepository, runOptions } from './fixture.ts';

/** `FILTER_SEQUENCES=1000 npx vitest run test/run/filters.property.test.ts` runs more; the matrix runs 40. */
const SEQUENCES = Number(process.env['FILTER_SEQUENCES'] ?? matrixRuns(4, 40));
const SEED = Number(process.env['FILTER_SEED'] ?? 1);
const TIMEOUT_MS = 60_000 + SEQUENCES * 20_000;

async function play(cwd: string, programs: string, step: FilterStep): Promise<'done' | 'refused'> {
  const mounts = [{ hostPath: programs, sandboxPath: programs, readonly: true }];
  const hooks = { host: { onSandboxReady: [{ command: `cd '${cwd}'\n${step.meanwhile}\ntrue` }] } };
  const guest = runOptions(`${step.guest}\nexit 0`, {
    cwd,
    sandbox: bubblewrap({ egress: 'none', mounts }),
    hooks,
  });
  const outcome = await run({ ...guest, branchStrategy: step.strategy }).then(
    () => 'done' as const,
    (error: unknown) => {
      // A conflict with the host's commits is refused, and both sides are kept.
      if (RepositoryError.isInstance(error) && error.code === 'merge-conflict') return 'refused' as const;
      throw error;
    },
  );
  spawnSync('sh', ['-c', step.afterwards], { cwd, stdio: 'ignore' });
  return outcome;
}

describeInBubblewrap('filters', () => {
  it(
    'clean every committed file exactly once, whatever guest and host edit, commit and merge',
    async () => {
      const programs = makeFilterPrograms();
      let filtered = 0;
      let done = 0;
      for (let number = 0; number < SEQUENCES; number += 1) {
        const kind = FILTER_KINDS[number % FILTER_KINDS.length] as FilterKind;
        const cwd = makeRepository();
        for (const [key, value] of Object.entries(kind.config(programs))) {
          git(cwd, 'config', `filter.secret.${key}`, value);
        }
        prepareFilters(cwd);
        for (const step of filterSequence(SEED, number)) {
          if ((await play(cwd, programs, step)) === 'done') done += 1;
        }
        const report = checkFilters(cwd, kind);
        expect(report.violations, `sequence ${number} of seed ${SEED}, ${kind.title}`).toEqual([]);
        filtered += report.filtered;
      }
      // The sequences do commit: each starts with 4 filtered files.
      expect(filtered).toBeGreaterThan(SEQUENCES * 5);
      expect(done).toBeGreaterThan(SEQUENCES / 2);
    },
    TIMEOUT_MS,
  );
});
