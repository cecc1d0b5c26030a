/** Short form of the mutants: each patch applies, and that of the day is killed. All: `npm run proof:guarantees`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applies, applyTogether, copySources, listMutants, type SourceCopy } from './mutants/mutants.ts';
import { CELLS } from './table/cells.ts';
import { ROUTES, type GuaranteeId } from './table/guarantees.ts';

const MUTANTS = listMutants();
const TRIED = 1;
const DAY_MS = 86_400_000;
/** Another one for each day. `npm run proof:guarantees` tries all. */
const first = (Math.floor(Date.now() / DAY_MS) * TRIED) % MUTANTS.length;
const ofTheDay = [...MUTANTS, ...MUTANTS].slice(first, first + TRIED);

it('all apply to the sources', async () => {
  // One call of git for all. They are tried one by one to name those that do not.
  if (await applyTogether(MUTANTS)) return;
  const applied = await Promise.all(
    MUTANTS.map(async (mutant) => ((await applies(mutant)) ? [] : mutant.name)),
  );
  expect(applied.flat()).toEqual([]);
});

const HELD = (Object.keys(CELLS) as GuaranteeId[]).filter((id) =>
  ROUTES.some((route) => route !== 'run/podman' && 'held' in CELLS[id][route]),
);

it.each(HELD)('%s has a mutant', (id) => {
  expect(MUTANTS.filter((mutant) => mutant.id === id)).not.toEqual([]);
});

describe('a mutant', () => {
  let copy: SourceCopy;
  beforeAll(async () => {
    copy = await copySources();
  });
  afterAll(() => copy[Symbol.asyncDispose]());

  it.each(ofTheDay)('is killed: $name', { timeout: 240_000 }, async (mutant) => {
    expect(await copy.try(mutant)).toBe('killed');
  });
});
