/**
 * Frozen forms of stored JSON: a change of a shape that stored values do not fit needs a new version, with
 * a step from the last one (ADR 0017). `write-forms.ts` writes the form of a new version.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  array,
  integer,
  literal,
  object,
  oneOf,
  optional,
  string,
  tagged,
  type Shape,
} from '../../../packages/core/src/shape/shape.ts';
import { versionOf } from '../../../packages/server/src/contract/stored-versions.ts';
import { changesOf } from './form-changes.ts';
import { formOf, newestPathOf, STORED_SHAPES } from './stored-shapes.ts';

describe.each(Object.entries(STORED_SHAPES))('the stored %s', (name, stored) => {
  it('has a form for each version', () => {
    const files = readdirSync(import.meta.dirname).filter((file) => file.startsWith(`${name}.v`));
    const versions = Array.from({ length: versionOf(stored.form) }, (_, index) => index + 1);
    expect(files.toSorted()).toEqual(versions.map((version) => `${name}.v${version}.json`));
  });

  it('has no change since its newest version that a stored value does not fit', () => {
    const frozen: unknown = JSON.parse(readFileSync(newestPathOf(name, stored), 'utf8'));
    const changes = changesOf(frozen, formOf(stored.shape));
    // Add a step to the form in `stored-versions.ts`, and run `write-forms.ts`.
    expect(changes.filter(({ kind }) => kind === 'breaking')).toEqual([]);
  });
});

const cases = {
  a: object({ type: literal('a'), n: integer }),
  b: object({ type: literal('b'), t: string }),
};
const base = { n: integer, t: optional(string), k: oneOf('x', 'y'), l: array(string) };

it.each<[string, Shape<unknown>, Shape<unknown>, string[]]>([
  ['nothing', object(base), object({ ...base }), []],
  ['a name of a component', object(base), object(base, 'Named'), []],
  ['a new optional member', object(base), object({ ...base, m: optional(string) }), ['wider']],
  ['a new required member', object(base), object({ ...base, m: string }), ['breaking']],
  [
    'a member that is gone',
    object(base),
    object({ n: integer, t: optional(string), k: base.k }),
    ['breaking'],
  ],
  ['a member of another type', object(base), object({ ...base, n: string }), ['breaking']],
  ['an item of another type', object(base), object({ ...base, l: array(integer) }), ['breaking']],
  ['a member that can be absent now', object(base), object({ ...base, n: optional(integer) }), ['wider']],
  ['a new value', object(base), object({ ...base, k: oneOf('x', 'y', 'z') }), ['wider']],
  ['a value that is gone', object(base), object({ ...base, k: oneOf('x') }), ['breaking']],
  ['a new case', tagged(cases), tagged({ ...cases, c: object({ type: literal('c') }) }), ['wider']],
  ['a case that is gone', tagged(cases), tagged({ a: cases.a }), ['breaking']],
])('a change of a form is told: %s', (_name, was, is, kinds) => {
  expect(changesOf(formOf(was), formOf(is)).map(({ kind }) => kind)).toEqual(kinds);
});

it('a member that is required now is a breaking change', () => {
  const changes = changesOf(formOf(object(base)), formOf(object({ ...base, t: string })));
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.every(({ kind }) => kind === 'breaking')).toBe(true);
});
