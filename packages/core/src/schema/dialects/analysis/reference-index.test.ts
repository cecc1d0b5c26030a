/** Checks to which part of a document each reference leads. */
import { expect, it } from 'vitest';
import { ReferenceIndex, resolveReference } from './reference-index.ts';
import { withDraft07Bounds } from './draft-04-bounds.ts';

const DOCUMENT = {
  $id: 'root',
  $defs: {
    'a/b~c %': { title: 'escaped' },
    list: {
      anyOf: [
        { title: 'first', $anchor: 'only' },
        { title: 'second', $anchor: 'here' },
      ],
    },
    named: { $id: 'https://example.invalid/named', title: 'named', $anchor: 'here' },
    odd: { $anchor: 7, $id: null, none: null },
  },
};
const index = new ReferenceIndex(DOCUMENT);

it.each([
  ['#', undefined, []],
  ['root', undefined, []],
  ['#/$defs/a~1b~0c %25', 'escaped', ['$defs', 'a/b~c %']],
  ['#/$defs/a~1b~0c %', 'escaped', ['$defs', 'a/b~c %']],
  ['#/$defs/list/anyOf/1', 'second', ['$defs', 'list', 'anyOf', 1]],
  // The one nearer to the root.
  ['#here', 'named', ['$defs', 'named']],
  ['#only', 'first', ['$defs', 'list', 'anyOf', 0]],
  ['https://example.invalid/named', 'named', ['$defs', 'named']],
])('%s leads into the document', (reference, title, path) => {
  const found = index.find(reference);
  expect(found?.path).toEqual(path);
  expect(found?.schema).toBe(index.find(reference)?.schema);
  if (title === undefined) expect(found?.schema).toBe(DOCUMENT);
  else expect(found?.schema).toMatchObject({ title });
  expect(resolveReference(index, reference, [])).toBe(found);
});

it.each(['#/$defs/gone', '#/$defs/odd/none/x', '#gone', 'gone', '#/$defs/list/anyOf/2', '#/toString'])(
  '%s leads nowhere',
  (reference) => {
    expect(index.find(reference)).toBeUndefined();
    expect(() => resolveReference(index, reference, ['properties', 'a'])).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        path: ['properties', 'a'],
        message: expect.stringContaining('the reference at `/properties/a` to point into the schema'),
      }),
    );
  },
);

it('a reference that is no text leads nowhere', () => {
  expect(() => resolveReference(index, 7, [])).toThrow('Put its target into `$defs`');
});

it('a document that is no object has no names', () => {
  expect(new ReferenceIndex(true).find('#a')).toBeUndefined();
  expect(new ReferenceIndex(null).find('#/a')).toBeUndefined();
});

it.each([
  [{ minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
  [{ minimum: 3, exclusiveMinimum: false }, { minimum: 3 }],
  [{ maximum: 3, exclusiveMaximum: true }, { exclusiveMaximum: 3 }],
  [{ exclusiveMinimum: true }, {}],
  [
    { exclusiveMinimum: true, minimum: 1, maximum: 5, exclusiveMaximum: 6 },
    { exclusiveMinimum: 1, maximum: 5, exclusiveMaximum: 6 },
  ],
  [
    { exclusiveMaximum: false, maximum: 5, exclusiveMinimum: 1 },
    { maximum: 5, exclusiveMinimum: 1 },
  ],
  [
    { minimum: 1, exclusiveMaximum: 6, type: 'number' },
    { minimum: 1, exclusiveMaximum: 6, type: 'number' },
  ],
  [
    { type: 'number', maximum: 1, exclusiveMaximum: true },
    { type: 'number', exclusiveMaximum: 1 },
  ],
])('the bounds %j of draft 04 are %j in later drafts', (schema, later) => {
  expect(withDraft07Bounds(schema)).toEqual(later);
});
