/** Kills workers of runs at random. Each run gets one receipt, and no limit is exceeded. */
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixRuns } from '../matrix.ts';
import { proveRuns, RUN_LIMIT } from '../proofs/prove-runs.ts';

const KILLS = matrixRuns(6, 60);

describeOnBothStores('workers of runs that are killed', (fixture) => {
  // Only Linux can report that a process has ended before its lease has.
  it.runIf(process.platform === 'linux')('leave each run with one receipt', async () => {
    const facts = await proveRuns({ kills: KILLS, databaseUrl: await fixture.freshUrl() });
    const { runs, lostExecutions, mostAtOnce } = facts;
    expect(facts).toMatchObject({ succeeded: runs, receipts: runs, brokenStreams: 0 });
    expect(lostExecutions).toBeGreaterThan(0);
    expect(mostAtOnce).toBeLessThanOrEqual(RUN_LIMIT);
  });
});
