/** Engine determinism: equal ledgers for equal runs, and after a crash at any append. */
import { describe, expect, it } from 'vitest';
import { matrixColumns, matrixRuns } from '../../../../test/matrix.ts';
import { openStore } from '@truecast/store/internal/open-store';
import { storeLedger } from '../ledger/store-ledger.ts';
import type { EnsembleOptions } from './ensemble.ts';
import { createEnsemble, resumeEnsemble } from './ensemble.ts';
import { breakingLedger, eventsOf, options, storyOf } from './test-ensemble.ts';
import { FOUR, four } from './test-four.ts';

const RUN = { runId: 'run-1' };
const TURNS = matrixRuns(80, 200);
/** Most appends before an interruption: all of them together are less than the ledger has. */
const MOST_APPENDS = matrixRuns(31, 101);

function play(turns: number, change: Partial<EnsembleOptions> = {}): EnsembleOptions {
  const scenarioChange = { competition: { kind: 'judged' }, limits: { cascade: 3, turns } } as const;
  return options(FOUR, four(turns), {
    scenarioChange,
    limits: { calls: 10_000, turns, cascade: 3 },
    ...change,
  });
}

async function storyOfPlay(parts: EnsembleOptions): Promise<unknown[]> {
  await (await createEnsemble(parts)).run();
  return storyOf(await eventsOf(parts.ledger));
}

describe('a play of four scripted members', () => {
  it('produces the same ledger twice', { timeout: 240_000 }, async () => {
    const [first, second] = [await storyOfPlay(play(TURNS)), await storyOfPlay(play(TURNS))];
    expect(first.length).toBeGreaterThan(5 * TURNS);
    expect(second).toEqual(first);
  });

  it.each([false, true])(
    'produces the same ledger if it is interrupted at any append and resumed (after the append: %s)',
    { timeout: 240_000 },
    async (isLate) => {
      const whole = await storyOfPlay(play(6));
      const events = await eventsOfWhole(6);
      const all = Array.from({ length: events }, (_, appends) => appends);
      for (const appends of matrixColumns(Number(isLate), all, { rows: 2 })) {
        if (appends === 0 && !isLate) continue;
        const store = await openStore({ url: ':memory:' });
        const parts = play(6, { ledger: storeLedger(store, { cast: FOUR }) });
        const broken = { ...parts, ledger: breakingLedger(parts.ledger, appends, isLate) };
        await expect((await createEnsemble(broken)).run()).rejects.toThrow('The power went out.');
        const resumed = await resumeEnsemble({ ...parts, ...RUN });
        await resumed.run();
        expect(storyOf(await eventsOf(parts.ledger)), `cut off after ${appends}`).toEqual(whole);
        await store.close();
      }
    },
  );

  it('produces the same ledger if it is interrupted twenty times', { timeout: 240_000 }, async () => {
    const whole = await storyOfPlay(play(TURNS));
    const parts = play(TURNS);
    await expect(
      (await createEnsemble({ ...parts, ledger: breakingLedger(parts.ledger, 7) })).run(),
    ).rejects.toThrow();
    for (let crash = 1; crash < 20; crash += 1) {
      const ledger = breakingLedger(parts.ledger, (crash * 37) % MOST_APPENDS, crash % 2 === 0);
      await expect((await resumeEnsemble({ ...parts, ...RUN, ledger })).run()).rejects.toThrow(
        'The power went out.',
      );
    }
    await (await resumeEnsemble({ ...parts, ...RUN })).run();
    expect(storyOf(await eventsOf(parts.ledger))).toEqual(whole);
  });
});

async function eventsOfWhole(turns: number): Promise<number> {
  const parts = play(turns);
  await (await createEnsemble(parts)).run();
  return (await eventsOf(parts.ledger)).length;
}
