/** Short forms of the proofs. `npm run proof:kills` and `npm run proof:soak` are the long ones. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { proveKills } from './prove-kills.ts';
import { proveSoak } from './prove-soak.ts';

const KILLS = 2;

const folder = await mkdtemp(join(tmpdir(), 'truecast-proofs-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

describeOnBothStores('servers that are killed at random', ({ freshUrl }) => {
  it('end every request once, with every message and effect at most once', async () => {
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

it('the soak counts turns, and samples the memory of the server', async () => {
  const databaseUrl = join(folder, 'soak.sqlite');
  const { turns, samples } = await proveSoak({ forMs: 500, sampleMs: 200, databaseUrl, folder });
  expect(turns).toBeGreaterThan(0);
  expect(samples.at(-1)?.residentBytes).toBeGreaterThan(1e6);
});
