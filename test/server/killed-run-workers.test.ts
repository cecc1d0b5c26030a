/**
 * Kills workers of runs at random, then whole servers and agents, and then servers with the command of a batch. Each
 * run gets one receipt, and no limit is exceeded. The short form kills each of the three on one database.
 */
import { expect } from 'vitest';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixRow, matrixRuns } from '../matrix.ts';
import { proveBatches } from '../proofs/prove-batches.ts';
import { proveJobs } from '../proofs/prove-jobs.ts';
import { proveRuns, RUN_LIMIT } from '../proofs/prove-runs.ts';
import { temporaryFolder } from '../run/fixture.ts';

const KILLS = matrixRuns(2, 60);
const SERVER_KILLS = matrixRuns(3, 40);
const BATCH_KILLS = matrixRuns(1, 2);
const RUNS_AHEAD = matrixRuns(4, 8);
const ITEMS = matrixRuns(4, 100);

describeOnBothStores('Of processes that are killed,', (fixture) => {
  const itInTurns = matrixRow(fixture.row, { rows: 2 }, itInBubblewrap);

  // Linux, which bubblewrap needs, reports that a process has ended before its lease has.
  itInTurns('workers of runs leave each run with one receipt', async () => {
    const facts = await proveRuns({ kills: KILLS, databaseUrl: await fixture.freshUrl() });
    const { runs, lostExecutions, mostAtOnce } = facts;
    expect(facts).toMatchObject({ succeeded: runs, receipts: runs, brokenStreams: 0 });
    expect(lostExecutions).toBeGreaterThan(0);
    expect(mostAtOnce).toBeLessThanOrEqual(RUN_LIMIT);
  });

  itInTurns(
    'servers with runs, and their agents, leave each run with one receipt and its commits',
    async () => {
      const databaseUrl = await fixture.freshUrl();
      const facts = await proveJobs({
        kills: SERVER_KILLS,
        runsAhead: RUNS_AHEAD,
        // Of a run, which takes a second.
        maxDelayMs: matrixRuns(750, 1_500),
        databaseUrl,
        folder: temporaryFolder(),
      });
      expect(facts).toMatchObject({ rows: facts.runs, wrong: [] });
      expect(facts.succeeded).toBeGreaterThan(0);
      expect(facts.lostExecutions).toBeGreaterThan(0);
    },
  );

  itInTurns('servers and the command of a batch leave each result once', async () => {
    const databaseUrl = await fixture.freshUrl();
    const facts = await proveBatches({
      items: ITEMS,
      kills: BATCH_KILLS,
      databaseUrl,
      folder: temporaryFolder(),
    });
    const counts = { results: ITEMS, rows: ITEMS, receipts: ITEMS, duplicates: 0, wrong: [] };
    expect(facts).toMatchObject({ ...counts, batch: { items: ITEMS, succeeded: ITEMS, failed: 0 } });
  });
});
