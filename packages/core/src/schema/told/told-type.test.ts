import { describe, expect, it } from 'vitest';
import { toldType } from './told-type.ts';

const told = (schema: unknown): string => toldType(schema).text;
const member = (schema: unknown): string =>
  told({ type: 'object', properties: { a: schema }, required: ['a'] });

describe('a told type', () => {
  it.each<[string, unknown, string]>([
    ['a short object', { type: 'string' }, '{ "a": string }'],
    ['an optional part of two types', { type: ['string', 'null'] }, '{ "a": string | null }'],
    ['an enumeration', { enum: ['x', 1, null] }, '{ "a": "x" | 1 | null }'],
    ['a constant', { type: 'string', const: 'x' }, '{ "a": "x" }'],
    ['a list', { type: 'array', items: { type: 'boolean' } }, '{ "a": boolean[] }'],
    ['a list of alternatives', { type: 'array', items: { enum: [1, 2] } }, '{ "a": (1 | 2)[] }'],
    ['a list of anything', { type: 'array' }, '{ "a": unknown[] }'],
    ['a tuple', { prefixItems: [{ type: 'null' }, true], items: false }, '{ "a": [null, unknown] }'],
    [
      'a tuple of an old draft',
      { items: [{ type: 'null' }], additionalItems: { type: 'string' } },
      '{ "a": [null, ...string[]] }',
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'number' } },
      '{ "a": { [key: string]: number } }',
    ],
    [
      'a map with known keys',
      { propertyNames: { enum: ['x', 'y'] }, additionalProperties: true },
      '{ "a": { [key in "x" | "y"]: unknown } }',
    ],
    ['an object of no known shape', { type: 'object' }, '{ "a": { [key: string]: unknown } }'],
    ['an object without keys', { type: 'object', additionalProperties: false }, '{ "a": {} }'],
    ['a required key without a schema', { required: ['b'] }, '{ "a": { "b": unknown } }'],
    [
      'alternatives',
      { anyOf: [{ type: 'string' }, { oneOf: [{ type: 'null' }] }] },
      '{ "a": string | null }',
    ],
    [
      'parts that all apply',
      { allOf: [{ required: ['b'] }, { required: ['c'] }] },
      '{ "a": { "b": unknown } & { "c": unknown } }',
    ],
    ['anything', true, '{ "a": unknown }'],
    ['nothing', false, '{ "a": never }'],
    ['the type that keywords are about', { minimum: Number.MIN_SAFE_INTEGER }, '{ "a": number }'],
  ])('shows %s', (_, schema, expected) => {
    expect(member(schema)).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['a whole number', { type: 'integer', minimum: 0, maximum: 20 }, 'number, // whole number; 0 to 20'],
    [
      'limits of one side',
      { type: 'number', minimum: 1, exclusiveMaximum: 5 },
      'number, // at least 1; less than 5',
    ],
    [
      'limits of draft 4',
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5 },
      'number, // at most 5; more than 1',
    ],
    ['steps', { type: 'number', multipleOf: 0.5 }, 'number, // multiple of 0.5'],
    ['lengths', { type: 'string', minLength: 3, maxLength: 3 }, 'string, // exactly 3 characters'],
    [
      'counts',
      { type: 'array', minItems: 2, uniqueItems: true },
      'unknown[], // at least 2 items; no two equal',
    ],
    ['a pattern', { type: 'string', pattern: '^[A-Z]-\\d$' }, 'string, // matches `^[A-Z]-\\d$`'],
    ['a format', { type: 'string', format: 'date' }, 'string, // date YYYY-MM-DD'],
    ['a format of another name', { type: 'string', format: 'int64' }, 'string, // format int64'],
    [
      'a format, and no long spelling of it',
      { format: 'email', pattern: `^${'[a-z]'.repeat(20)}$` },
      'string, // email',
    ],
    [
      'a format, and a short rule beside it',
      { format: 'email', pattern: '@x[.]org$' },
      'string, // email; matches `@x[.]org$`',
    ],
    [
      'a default, examples and a description',
      { type: 'string', default: 'x', examples: ['y'], description: ' A\n  b. ' },
      'string, // default "x"; such as "y"; A b.',
    ],
    ['a title', { type: 'string', title: 'Room number' }, 'string, // Room number'],
    [
      'limits of an optional part',
      { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
      'string | null, // at most 5 characters',
    ],
    [
      'what no type says',
      { type: 'string', not: { const: 'x' } },
      'string, // fits the JSON Schema {"not":{"const":"x"}}',
    ],
    [
      'a reference to nothing',
      { $ref: 'https://x.example/y' },
      'unknown, // fits the JSON Schema {"$ref":"https://x.example/y"}',
    ],
  ])('has a comment for %s', (_, schema, expected) => {
    expect(member(schema)).toBe(`{\n "a": ${expected}\n}`);
  });

  it('repeats no title that is the key', () => {
    expect(told({ properties: { room_no: { type: 'string', title: 'Room No' } } })).toBe(
      '{ "room_no"?: string }',
    );
  });

  it('has comments inside for a part without a line', () => {
    expect(member({ type: 'array', items: { type: 'string', maxLength: 9 } })).toBe(
      '{\n "a": (string /* at most 9 characters */)[],\n}',
    );
  });

  it('tells a long description of one key once', () => {
    const meta = { type: 'string', description: 'Reserved for additional data of the client and the agent.' };
    const text = told({ properties: { a: { properties: { meta } }, b: { properties: { meta } } } });
    expect(text.split('Reserved')).toHaveLength(2);
  });

  it('names a part that is used twice or in itself, and prints others in place', () => {
    const $defs = {
      'tree node': { type: 'object', properties: { next: { $ref: '#/$defs/tree node' } } },
      once: { type: 'boolean' },
      string: { type: 'null' },
    };
    const properties = {
      a: { $ref: '#/$defs/tree node' },
      b: { $ref: '#/$defs/once' },
      c: { $ref: '#/$defs/string' },
      d: { $ref: '#/$defs/string' },
      root: { $ref: '#' },
    };
    expect(told({ type: 'object', properties, $defs })).toBe(
      [
        'type Answer = {',
        ' "a"?: tree_node,',
        ' "b"?: boolean,',
        ' "c"?: string2,',
        ' "d"?: string2,',
        ' "root"?: Answer,',
        '}',
        'type tree_node = { "next"?: tree_node }',
        'type string2 = null',
      ].join('\n'),
    );
  });

  it('keeps the order of the author, and is the same each time', () => {
    const schema = { properties: { z: { type: 'string' }, a: { enum: ['y', 'b'] } }, required: ['a', 'z'] };
    expect(told(schema)).toBe('{ "z": string, "a": "y" | "b" }');
    expect(told(structuredClone(schema))).toBe(told(schema));
  });

  it('says whether an object is closed', () => {
    expect(toldType({ type: 'object', properties: {}, additionalProperties: false }).isClosed).toBe(true);
    expect(toldType({ type: 'object', properties: {} }).isClosed).toBe(false);
  });
});
