/**
 * Short forms of the proofs, each on one database in the short form of the matrix. `npm run proof:kills` and the other ones
 * in `prove.ts` are the long ones.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores, describeOnPostgres } from '../describe-on-both-stores.ts';
import { FORM, itWhole } from '../matrix.ts';
import { NOTHING_WRONG, proveActivity } from './prove-activity.ts';
import { proveCrowd } from './prove-crowd.ts';
import { proveHandover } from './prove-handover.ts';
import { proveKills } from './prove-kills.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { proveLanded } from './prove-landed.ts';
import { proveMergeCrowd } from './prove-merge-crowd.ts';
import { MERGE_STAGES, proveMergeKills, proveStageKills } from './prove-merge-kills.ts';
import { proveSoak } from './prove-soak.ts';

const KILLS = 2;

const folder = await mkdtemp(join(tmpdir(), 'truecast-proofs-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** More than the turns that a small limit would allow at the same time. */
const PEOPLE = 20;

/** Each proof of processes in one database: `test/server/` tries the same code in both. */
const describeOnStores = FORM === 'whole' ? describeOnBothStores : describeOnPostgres;

const describeOnPostgresInFull: typeof describeOnPostgres = (title, declare) => {
  if (FORM === 'whole') describeOnPostgres(title, declare);
};

describeOnStores('With processes of their own,', ({ freshUrl }) => {
  const title = 'a crowd gets all its answers at once: nobody waits for the turn of another person';
  it(title, async () => {
    const place = await mkdtemp(join(folder, 'crowd-'));
    const options = { people: PEOPLE, modelMs: 'all', rounds: 1, folder: place } as const;
    const [round] = await proveCrowd({ ...options, databaseUrl: await freshUrl() });
    expect(round).toMatchObject({ atOnce: PEOPLE, succeeded: PEOPLE });
  });

  const ends =
    'servers that are killed at random end every request once, with every message and effect at most once';
  // In the short form, `crash.test.ts` kills a server at any commit, in both databases.
  itWhole(ends, async () => {
    const place = await mkdtemp(join(folder, 'kills-'));
    const facts = await proveKills({
      kills: KILLS,
      databaseUrl: await freshUrl(),
      servers: 1,
      folder: place,
    });
    expect(facts).toMatchObject({ kills: KILLS, effectsTwice: 0, rowsWithoutEnd: 0 });
    expect(facts.receipts).toBe(facts.requests);
  });
});

// `turn-handover.test.ts` hands turns over in the short form.
describeOnPostgresInFull('turns of a full process', ({ freshUrl }) => {
  it('all run in another process', async () => {
    const place = await mkdtemp(join(folder, 'handover-'));
    const facts = await proveHandover({
      turns: 3,
      warmUp: 1,
      databaseUrl: await freshUrl(),
      folder: place,
    });
    expect(facts.notHandedOver).toBe(0);
  });
});

// `job-queue.test.ts` kills the worker of the same program in the short form.
describeOnPostgresInFull('jobs of pg-boss whose workers are killed', ({ freshUrl }) => {
  it('are executed again, land once, and lose no commit', async () => {
    const place = await mkdtemp(join(folder, 'activity-'));
    const databaseUrl = await freshUrl();
    const facts = await proveActivity({
      kills: KILLS,
      maxDelayMs: 500,
      engine: 'pg-boss',
      databaseUrl,
      folder: place,
    });
    expect(facts).toMatchObject({ kills: KILLS, ...NOTHING_WRONG });
    // Without a job that was begun twice, nothing could be found.
    expect(facts.repeated).toBeGreaterThan(0);
  });
});

// Nothing but the soak itself uses what it counts.
itWhole('the soak counts turns, and samples the memory of the server', async () => {
  const databaseUrl = join(folder, 'soak.sqlite');
  const { turns, samples } = await proveSoak({ forMs: 500, sampleMs: 200, databaseUrl, folder });
  expect(turns).toBeGreaterThan(0);
  expect(samples.at(-1)?.residentBytes).toBeGreaterThan(1e6);
});

it('merge() that is killed at any stage loses nothing, and the next call lands the branch', async () => {
  const count = MERGE_STAGES.length;
  let killed = 0;
  // On a fast disk, git has written a small checkout before it can be stopped.
  for (let files = 250; files <= 32_000 && killed < count; files *= 4) {
    const place = await mkdtemp(join(folder, 'stages-'));
    const facts = await proveStageKills({ files, folder: place, isShort: true });
    expect(facts).toMatchObject({ merged: count, lost: 0, usersLost: 0, halfWrittenAfter: 0 });
    ({ killed } = facts);
  }
  expect(killed).toBe(count);
}, 600_000);

it('merges of several processes all land, but those that are red beside another', async () => {
  const place = await mkdtemp(join(folder, 'merge-crowd-'));
  const facts = await proveMergeCrowd({ processes: 3, branches: 2, folder: place });
  expect(facts).toEqual({ landed: 3, refused: 3, lost: [], red: [], status: '' });
});

// The short form kills merges at each stage, above, and `clean.test.ts` restores a merge whose git was killed.
itWhole('merges that are killed lose nothing, and the next start restores their checkout', async () => {
  const kills = 4;
  const seen = { whileWriting: 0, restored: 0, merged: 0 };
  // On a fast disk, git has written a small merge before it can be stopped.
  for (let files = 250; files <= 32_000 && Math.min(...Object.values(seen)) === 0; files *= 4) {
    const place = await mkdtemp(join(folder, 'merges-'));
    const facts = await proveMergeKills({ kills, files, stepMs: 2, folder: place });
    expect(facts).toMatchObject({ kills, lost: 0, usersLost: 0, halfWrittenAfter: 0 });
    seen.whileWriting += facts.whileWriting;
    seen.restored += facts.restored;
    seen.merged += facts.merged;
  }
  // Without a kill of each kind while git wrote, nothing could be found.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

/** Agents of which some land, some are refused on a commit, and some land after they are asked again. */
const AGENTS = FORM === 'whole' ? { seed: 1, agents: 16 } : { seed: 20, agents: 6 };
const LANDED_TIMEOUT_MS = 300_000;

async function expectOnlyGreen(sandbox: () => SandboxProvider): Promise<void> {
  const facts = await proveLanded({ ...AGENTS, sandbox });
  expect(facts).toMatchObject({ agents: AGENTS.agents, landedRed: [], lostWork: [], withoutReason: [] });
  const { landed, refusedOnCommit, landedOnRetry } = facts;
  expect(Math.min(landed, refusedOnCommit, landedOnRetry)).toBeGreaterThan(0);
}

describeInBubblewrap('careless agents in bubblewrap', () => {
  it(
    'land only commits that pass their check',
    () => expectOnlyGreen(() => bubblewrap({ egress: 'none' })),
    LANDED_TIMEOUT_MS,
  );
});

// Sixteen agents and their corrections start some forty containers. The landing is the same code in bubblewrap and without
// a sandbox.
if (FORM === 'whole') {
  it(
    'careless agents without a sandbox land only commits that pass their check',
    () => expectOnlyGreen(() => noSandbox()),
    LANDED_TIMEOUT_MS,
  );

  describeWithEngine('podman', 'careless agents in podman', () => {
    it(
      'land only commits that pass their check',
      () => expectOnlyGreen(() => podman({ imageName: TEST_IMAGE, egress: 'none' })),
      LANDED_TIMEOUT_MS,
    );
  });
}
