/** Exact limits of `findJsonExcess`, in the shortest texts that it scans. */
import { expect, it } from 'vitest';
import { findJsonExcess } from './json-bounds.ts';

/** Length of the shortest text that is scanned. */
const SCANNED = 256 * 1024;
const DEEP = { code: 'too-deep', reason: 'it is nested deeper than 10000' };
const WIDE = { code: 'too-many-values', reason: 'its objects have more than 100000 members' };

const padded = (text: string, chars = SCANNED): string => text.padEnd(chars);
/** An object with that many commas. */
const wide = (commas: number): string => `{${','.repeat(commas)}}`;

it.each([
  ['10,000 open lists', '['.repeat(10_000), undefined],
  ['10,001 open lists', '['.repeat(10_001), DEEP],
  ['10,001 open objects', '{'.repeat(10_001), DEEP],
  ['10,001 lists after each other', '[]'.repeat(10_001), undefined],
  ['10,001 objects after each other', '{}'.repeat(10_001), undefined],
  ['10,001 brackets in a text', `"${'['.repeat(10_001)}"`, undefined],
  ['10,001 brackets after an escaped quote', String.raw`"\"${'['.repeat(10_001)}"`, undefined],
  ['10,001 brackets after a text', `"a"${'['.repeat(10_001)}`, DEEP],
])('%s', (_name, text, expected) => {
  expect(findJsonExcess(padded(text))).toEqual(expected);
});

it.each([
  ['100,000 commas in wide objects', wide(1_000).repeat(100), undefined],
  ['one comma more in another wide object', `${wide(1_000).repeat(99)}${wide(1_001)}`, WIDE],
  ['one comma more in an object that is not wide', `${wide(1_000).repeat(100)}${wide(999)}`, undefined],
  ['200,000 commas in objects that are not wide', wide(999).repeat(200), undefined],
  ['200,000 commas in a list', `[${','.repeat(200_000)}]`, undefined],
  ['200,000 commas outside of any value', ','.repeat(200_000), undefined],
  ['100,001 commas in one object', wide(100_001), WIDE],
  ['an object that continues after a list', `{${','.repeat(100_000)}[,,]}`, undefined],
  ['an object that continues after a list, and is too wide', `{${','.repeat(100_000)}[,,],}`, WIDE],
])('%s', (_name, text, expected) => {
  expect(findJsonExcess(padded(text))).toEqual(expected);
});

it('does not scan a shorter text', () => {
  const text = '['.repeat(10_001);
  expect(findJsonExcess(padded(text, SCANNED - 1))).toBeUndefined();
  expect(findJsonExcess(padded(text, SCANNED))).toEqual(DEEP);
});
