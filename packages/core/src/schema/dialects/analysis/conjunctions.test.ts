/** Checks that schemas which must all match are one object for the same members. */
import { expect, it } from 'vitest';
import { Conjunctions } from './conjunctions.ts';

const [a, b, c] = [{ type: 'string' }, { minLength: 1 }, { maxLength: 9 }];
const sameAsA = { type: 'string' };
const ORIGINALS = new Set<object>([a, b, c, sameAsA]);
const conjunctionsOf = (): Conjunctions =>
  new Conjunctions({ spend: () => undefined }, (schema) => ORIGINALS.has(schema));

it('with `false`, none matches; with `true`, the other one does', () => {
  const both = conjunctionsOf();
  expect([both.join(false, a), both.join(a, false), both.join(false, true)]).toEqual([false, false, false]);
  expect([both.join(true, a), both.join(a, true), both.join(true, true)]).toEqual([a, a, true]);
});

it('are one object for the same members, in any order and grouping', () => {
  const both = conjunctionsOf();
  const joined = both.join(a, b);
  expect(joined).toEqual({ allOf: [a, b] });
  expect(both.join(b, a)).toBe(joined);
  expect(both.join(joined, a)).toBe(joined);
  const three = both.join(joined, c);
  expect(three).toEqual({ allOf: [a, b, c] });
  expect(both.join(a, both.join(c, b))).toBe(three);
  expect(both.join(three, joined)).toBe(three);
});

it('are the member itself if they are equal', () => {
  const both = conjunctionsOf();
  expect(both.join(a, a)).toBe(a);
  expect(both.join(a, sameAsA)).toBe(a);
});

it('are told apart by identity where they are not of the document', () => {
  const [made, equal] = [{ type: 'null' }, { type: 'null' }];
  const both = conjunctionsOf();
  expect(both.join(made, equal)).toEqual({ allOf: [made, equal] });
  expect(both.join(made, made)).toBe(made);
});

it('count their work: by the text of a member of the document once, and by the members', () => {
  const spent: number[] = [];
  const large = { enum: ['x'.repeat(1_000)] };
  const both = new Conjunctions({ spend: (units) => spent.push(units) }, (schema) => schema === large);
  both.join(large, b);
  both.join(large, c);
  expect(spent).toEqual([JSON.stringify(large).length >> 4, 6, 6]);
});
