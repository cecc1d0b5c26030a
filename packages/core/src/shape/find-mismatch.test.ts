import { describe, expect, it } from 'vitest';
import { describeMismatch, findMismatch, hasShape } from './find-mismatch.ts';
import {
  anything,
  array,
  boolean,
  bounded,
  either,
  integer,
  json,
  limited,
  literal,
  nothing,
  number,
  object,
  oneOf,
  openOneOf,
  openTagged,
  optional,
  record,
  recordOf,
  string,
  tagged,
  time,
  type Shape,
} from './shape.ts';

const text = object({ type: literal('text'), text: string });
const file = object({ type: literal('file'), url: optional(string) });

function judge(shape: Shape<unknown>, value: unknown): string | undefined {
  const found = findMismatch(shape, value);
  return found && describeMismatch(found);
}

describe('a value of its shape', () => {
  it.each<readonly [string, Shape<unknown>, unknown]>([
    ['anything', anything, undefined],
    ['nothing', nothing, undefined],
    ['json', json, [null]],
    ['string', string, ''],
    ['time', time, 'not judged'],
    ['boolean', boolean, false],
    ['number', number, 1.5],
    ['integer', integer, 2 ** 53 - 1],
    ['literal', literal(false), false],
    ['oneOf', oneOf('a', 'b'), 'b'],
    ['array', array(integer), [1, 2]],
    ['record', record, { any: undefined }],
    ['recordOf', recordOf(string), { key: 'value' }],
    ['object', object({ id: integer, name: optional(string) }), { id: 1 }],
    ['tagged', tagged({ text, file }), { type: 'file' }],
    ['either', either([string, integer]), 1],
  ])('is accepted by %s', (_name, shape, value) => {
    expect(findMismatch(shape, value)).toBeUndefined();
  });
});

describe('another value', () => {
  it.each<readonly [string, Shape<unknown>, unknown, string]>([
    ['nothing', nothing, {}, 'expected no content, got `{}` (object)'],
    ['string', string, 1, 'expected a string, got `1` (number)'],
    ['boolean', boolean, 'true', 'expected a boolean, got `"true"` (string)'],
    ['number', number, Number.NaN, 'expected a number, got `NaN` (number)'],
    ['integer', integer, 2 ** 53, 'expected an integer, got `9007199254740992` (number)'],
    ['literal', literal(false), true, 'expected one of false, got `true` (boolean)'],
    ['oneOf', oneOf('a', 'b'), 'c', 'expected one of a, b, got `"c"` (string)'],
    ['array', array(string), ['a', 1], 'expected a string at `[1]`, got `1` (number)'],
    ['array of', array(string), { 0: 'a' }, 'expected an array, got `{"0":"a"}` (object)'],
    ['record', record, [], 'expected an object, got `[]` (array)'],
    ['recordOf', recordOf(string), 'key', 'expected an object, got `"key"` (string)'],
    ['missing', object({ id: integer }), {}, 'expected a value at `id`, got `undefined`'],
    ['inherited', object({ toString: anything }), {}, 'expected a value at `toString`, got `undefined`'],
    [
      'undefined',
      object({ name: optional(string) }),
      { name: undefined },
      'expected a string at `name`, got `undefined`',
    ],
    [
      'deep',
      object({ all: array(object({ id: integer })) }),
      { all: [{ id: 1 }, { id: 'b' }] },
      'expected an integer at `all[1].id`, got `"b"` (string)',
    ],
    ['no object', tagged({ text, file }), null, 'expected an object, got `null`'],
    [
      'no case',
      tagged({ text, file }),
      { type: 'toString' },
      'expected one of text, file at `type`, got `"toString"` (string)',
    ],
    ['in a case', tagged({ text, file }), { type: 'text' }, 'expected a value at `text`, got `undefined`'],
    ['either', either([string, record]), 1, 'expected a string or an object, got `1` (number)'],
  ])('is refused by %s, with its place', (_name, shape, value, told) => {
    expect(judge(shape, value)).toBe(told);
  });
});

describe('a newer writer', () => {
  it('can add members', () => {
    expect(judge(object({ id: integer }), { id: 1, newer: true })).toBeUndefined();
    expect(judge(recordOf(string), { known: 'a', newer: 1 })).toBeUndefined();
    expect(judge(tagged({ text }), { type: 'text', text: '', newer: true })).toBeUndefined();
  });

  it('can add texts and objects where a shape is open', () => {
    expect(judge(openOneOf('a'), 'newer')).toBeUndefined();
    expect(judge(openOneOf('a'), 1)).toBe('expected a string, got `1` (number)');
    expect(judge(openTagged({ text }), { type: 'audio', url: 1 })).toBeUndefined();
    expect(judge(openTagged({ text }), { type: 'text', text: 1 })).toBe(
      'expected a string at `text`, got `1` (number)',
    );
    expect(judge(openTagged({ text }), { type: 1 })).toBe('expected one of text at `type`, got `1` (number)');
  });

  it('can have other limits', () => {
    expect(judge(limited({ min: 2, max: 3, pattern: '^a$' }), 'longer')).toBeUndefined();
    expect(judge(bounded('integer', { min: 1, max: 5 }), 9)).toBeUndefined();
    expect(judge(array(string, { max: 1 }), ['a', 'b'])).toBeUndefined();
  });
});

it('a form is plain JSON', () => {
  const shape = object({
    part: openTagged({ text, file }, 'Part'),
    name: optional(limited({ pattern: '^[a-z]+$', expected: 'Expected letters' })),
    limits: array(bounded('integer', { min: 1 })),
  });
  expect(JSON.parse(JSON.stringify(shape))).toEqual(shape);
});

it('tells whether a value has a shape', () => {
  const shape = object({ url: string, token: optional(string) });
  expect(hasShape(shape, { url: 'x' })).toBe(true);
  expect(hasShape(shape, { url: 'x', token: 1 })).toBe(false);
  expect(hasShape(shape, { token: 'x' })).toBe(false);
});
