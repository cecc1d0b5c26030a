/** Short form of the comparison: a few of our programs, and a fault. `compare.ts` plays all. */
import { expect, it } from 'vitest';
import { playOne } from './compare.ts';
import { FAULTS } from './faults.ts';
import { matrixCases } from '../matrix.ts';

it.each(matrixCases(1, [5, 3]))('job %i returns the right value', async (job) => {
  expect(await playOne('ours', job, undefined)).toMatchObject({ verdict: 'survived' });
});

it.each(FAULTS.filter(({ id }) => id === '9.3'))('fault $id is survived: $title', async (fault) => {
  expect(await playOne('ours', fault.job, fault)).toMatchObject({ verdict: 'survived' });
});
