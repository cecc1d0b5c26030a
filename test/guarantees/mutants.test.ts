/** Short form of the mutants: each patch applies, and those of the day are killed. All: `npm run proof:guarantees`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applies, copySources, listMutants, type SourceCopy } from './mutants/mutants.ts';
import { CELLS } from './table/cells.ts';
import { ROUTES, type GuaranteeId } from './table/guarantees.ts';

const MUTANTS = listMutants();
const TRIED = 3;
const DAY_MS = 86_400_000;
/** Another group for each day, so that all are tried within a week. */
const first = (Math.floor(Date.now() / DAY_MS) * TRIED) % MUTANTS.length;
const ofTheDay = [...MUTANTS, ...MUTANTS].slice(first, first + TRIED);

it.each(MUTANTS)('$name applies to the sources', async (mutant) => {
  expect(await applies(mutant)).toBe(true);
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

  it.each(ofTheDay)('is killed: $name', { timeout: 180_000 }, async (mutant) => {
    expect(await copy.try(mutant)).toBe('killed');
  });
});
