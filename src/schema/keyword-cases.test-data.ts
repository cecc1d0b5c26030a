/** Owns the cases of every keyword, as data: what a schema takes and what it refuses. */

/** A schema with values that are valid and values that are not. */
export interface KeywordCase {
  readonly name: string;
  readonly schema: boolean | { readonly [keyword: string]: unknown };
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
  /** Why the oracles judge otherwise; absent where they agree. */
  readonly differs?: string;
}

/** Parsed, since a literal's `__proto__` would set the prototype. */
const parse = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019_09 = 'https://json-schema.org/draft/2019-09/schema';

/** Cases for values of any kind, and for numbers and strings. */
export const VALUE_CASES: readonly KeywordCase[] = [
  { name: 'true', schema: true, valid: [1, null, {}], invalid: [] },
  { name: 'false', schema: false, valid: [], invalid: [1, null, {}] },
  {
    name: 'type integer',
    schema: { type: 'integer' },
    valid: [1, 1.0, -0, 1e300],
    invalid: [1.5, '1', null, true],
  },
  { name: 'type number', schema: { type: 'number' }, valid: [1, 1.5], invalid: ['1', null] },
  { name: 'type string', schema: { type: 'string' }, valid: ['', 'a'], invalid: [1, null, [], {}] },
  { name: 'type array', schema: { type: 'array' }, valid: [[]], invalid: [{}, 'a', null] },
  { name: 'type object', schema: { type: 'object' }, valid: [{}], invalid: [[], null, 'a'] },
  { name: 'type null', schema: { type: 'null' }, valid: [null], invalid: [0, false, ''] },
  { name: 'type boolean', schema: { type: 'boolean' }, valid: [true, false], invalid: [0, 'true', null] },
  { name: 'several types', schema: { type: ['string', 'null'] }, valid: ['a', null], invalid: [1, {}] },
  {
    name: 'enum',
    schema: { enum: [1, '1', null, { a: [1] }, [false]] },
    valid: [1, '1', null, { a: [1] }, [false]],
    invalid: [2, true, { a: [2] }, [0], [], {}],
  },
  { name: 'enum tells 0 from false', schema: { enum: [0] }, valid: [0, -0], invalid: [false, null, ''] },
  {
    name: 'const object in any order',
    schema: { const: { a: 1, b: 2 } },
    valid: [{ b: 2, a: 1 }],
    invalid: [{ a: 1 }, { a: 1, b: 2, c: 3 }, [1, 2]],
  },
  { name: 'const null', schema: { const: null }, valid: [null], invalid: [0, false] },
  {
    name: 'const __proto__',
    schema: parse('{"const":{"__proto__":1}}'),
    valid: [parse('{"__proto__":1}')],
    invalid: [{}, parse('{"__proto__":2}')],
  },
  { name: 'minimum', schema: { minimum: 1.5 }, valid: [1.5, 2, 'x'], invalid: [1.4] },
  { name: 'maximum', schema: { maximum: 3 }, valid: [3, -1, null], invalid: [3.01] },
  {
    name: 'exclusive bounds',
    schema: { exclusiveMinimum: 0, exclusiveMaximum: 1 },
    valid: [0.5, 'x'],
    invalid: [0, 1],
  },
  { name: 'multipleOf', schema: { multipleOf: 2 }, valid: [4, 0, -2, 'x'], invalid: [3, 0.5] },
  {
    name: 'multipleOf decimals',
    schema: { multipleOf: 0.1 },
    valid: [0.3, 1.1, 4.7],
    invalid: [0.35],
    differs: 'binary division says that 0.3 is no multiple of 0.1',
  },
  {
    name: 'multipleOf small',
    schema: { multipleOf: 1e-8 },
    valid: [12_391_239_123, 1e-7],
    invalid: [1.5e-8],
    differs: 'binary division',
  },
  {
    name: 'multipleOf huge value',
    schema: { type: 'integer', multipleOf: 0.5 },
    valid: [1e308],
    invalid: [],
  },
  {
    name: 'minLength in code points',
    schema: { minLength: 2 },
    valid: ['ab', '😀😀', 1],
    invalid: ['😀', 'a', ''],
  },
  {
    name: 'maxLength in code points',
    schema: { maxLength: 2 },
    valid: ['😀😀', 'ab', ''],
    invalid: ['😀😀😀', 'abc'],
  },
  {
    name: 'lengths as 2.0',
    schema: parse('{"minLength":2.0,"maxLength":2.0}'),
    valid: ['ab'],
    invalid: ['a', 'abc'],
  },
  { name: 'pattern anywhere', schema: { pattern: 'b+' }, valid: ['abba', 1], invalid: ['aca'] },
  { name: 'pattern anchored', schema: { pattern: '^a*$' }, valid: ['', 'aa'], invalid: ['ab', 'a\n'] },
  { name: 'pattern of code points', schema: { pattern: '^.$' }, valid: ['😀', 'é'], invalid: ['ab', '\n'] },
  { name: 'pattern \\p', schema: { pattern: '^\\p{Script=Greek}+$' }, valid: ['αβγ'], invalid: ['abc'] },
  { name: 'pattern look-ahead', schema: { pattern: '^(?!.*--)[a-z-]+$' }, valid: ['a-b'], invalid: ['a--b'] },
  {
    name: 'pattern back-reference',
    schema: { pattern: '^(a+)b\\1$' },
    valid: ['aba', 'aabaa'],
    invalid: ['aaba'],
  },
  { name: 'pattern \\d is ASCII', schema: { pattern: '^\\d$' }, valid: ['0'], invalid: ['߀'] },
  {
    name: 'pattern \\s is Unicode',
    schema: { pattern: '^\\s$' },
    valid: ['\u00a0', '\ufeff', '\u2028'],
    invalid: ['\u200b'],
  },
];

/** Cases for arrays. */
export const ARRAY_CASES: readonly KeywordCase[] = [
  {
    name: 'items',
    schema: { items: { type: 'integer' } },
    valid: [[], [1, 2], {}, 'x'],
    invalid: [[1, 'x']],
  },
  { name: 'items false', schema: { items: false }, valid: [[]], invalid: [[1]] },
  {
    name: 'prefixItems',
    schema: { prefixItems: [{ type: 'integer' }, { type: 'string' }] },
    valid: [[1, 'a'], [1], [], [1, 'a', null]],
    invalid: [['a'], [1, 2]],
  },
  {
    name: 'prefixItems with items',
    schema: { prefixItems: [true], items: { type: 'string' } },
    valid: [[1, 'a']],
    invalid: [[1, 2]],
  },
  {
    name: 'items as a list',
    schema: { $schema: DRAFT_07, items: [{ type: 'integer' }], additionalItems: { type: 'string' } },
    valid: [[1], [1, 'a']],
    invalid: [['a'], [1, 1]],
  },
  {
    name: 'additionalItems alone',
    schema: { $schema: DRAFT_07, additionalItems: false },
    valid: [[1]],
    invalid: [],
  },
  {
    name: 'counts of items',
    schema: { minItems: 1, maxItems: 2 },
    valid: [[1], [1, 2], {}],
    invalid: [[], [1, 2, 3]],
  },
  {
    name: 'uniqueItems',
    schema: { uniqueItems: true },
    valid: [
      [1, true],
      [0, false],
      [1, '1'],
      [{ a: 1 }, { a: 2 }],
      [[1], [2]],
      ['{}', {}],
      [[], {}],
      [null, 'null'],
    ],
    invalid: [
      [1, 1.0],
      [0, -0],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[[]], [[]]],
      ['a', 'a'],
      [null, null],
    ],
  },
  {
    name: 'uniqueItems deep numbers',
    schema: { uniqueItems: true },
    valid: [
      [[1], ['1']],
      [{ a: null }, {}],
    ],
    invalid: [[{ a: [0] }, { a: [-0] }]],
  },
  { name: 'uniqueItems false', schema: { uniqueItems: false }, valid: [[1, 1]], invalid: [] },
  { name: 'contains', schema: { contains: { minimum: 5 } }, valid: [[3, 5], {}], invalid: [[], [1, 2]] },
  {
    name: 'minContains and maxContains',
    schema: { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    valid: [
      [1, 1],
      [1, 2, 1, 1],
    ],
    invalid: [[1], [1, 1, 1, 1]],
  },
  {
    name: 'minContains 0',
    schema: { contains: { const: 1 }, minContains: 0 },
    valid: [[], [2]],
    invalid: [],
  },
  { name: 'maxContains without contains', schema: { maxContains: 0 }, valid: [[1]], invalid: [] },
  {
    name: 'unevaluatedItems after prefixItems',
    schema: { allOf: [{ prefixItems: [true, true] }], unevaluatedItems: false },
    valid: [[1, 2]],
    invalid: [[1, 2, 3]],
  },
  {
    name: 'unevaluatedItems after contains',
    schema: { contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
    valid: [
      ['a', 1],
      ['a', 'b', 2],
    ],
    invalid: [['a', null]],
  },
  {
    name: 'unevaluatedItems after contains in 2019-09',
    schema: { $schema: DRAFT_2019_09, contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
    valid: [],
    invalid: [['a', 1]],
    differs: 'the oracle evaluates items by `contains`, as 2020-12 was the first to do',
  },
  {
    name: 'unevaluatedItems with anyOf',
    schema: {
      anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [true, { const: 2 }] }],
      unevaluatedItems: false,
    },
    valid: [[1], [1, 2], [5, 2]],
    invalid: [
      [1, 3],
      [5, 3],
    ],
  },
  {
    name: 'unevaluatedItems with not',
    schema: { not: { not: { prefixItems: [true] } }, unevaluatedItems: false },
    valid: [[]],
    invalid: [[1]],
  },
];

/** Cases for objects. */
export const OBJECT_CASES: readonly KeywordCase[] = [
  {
    name: 'properties',
    schema: { properties: { a: { type: 'string' } } },
    valid: [{}, { a: 'x' }, { b: 1 }, [], 1],
    invalid: [{ a: 1 }],
  },
  {
    name: 'properties named as in Object.prototype',
    schema: parse(
      '{"properties":{"__proto__":{"type":"number"},"toString":{"type":"string"},"constructor":{"type":"number"}}}',
    ),
    valid: [{}, { toString: 'x' }, parse('{"__proto__":1}')],
    invalid: [{ toString: 1 }, parse('{"__proto__":"x"}'), { constructor: 'x' }],
  },
  { name: 'required', schema: { required: ['a'] }, valid: [{ a: null }, [], 'a'], invalid: [{}, { b: 1 }] },
  {
    name: 'required named as in Object.prototype',
    schema: { required: ['__proto__', 'toString', 'constructor'] },
    valid: [parse('{"__proto__":1,"toString":1,"constructor":1}')],
    invalid: [{}, { toString: 1 }, { constructor: 1 }],
  },
  {
    name: 'additionalProperties false',
    schema: { properties: { a: true }, patternProperties: { '^x-': true }, additionalProperties: false },
    valid: [{}, { a: 1, 'x-b': 2 }],
    invalid: [{ b: 1 }],
  },
  {
    name: 'additionalProperties schema',
    schema: { properties: { a: true }, additionalProperties: { type: 'number' } },
    valid: [{ a: 'x', b: 1 }],
    invalid: [{ b: 'x' }],
  },
  {
    name: 'additionalProperties does not look into allOf',
    schema: { allOf: [{ properties: { a: true } }], additionalProperties: false },
    valid: [{}],
    invalid: [{ a: 1 }],
  },
  {
    name: 'patternProperties',
    schema: { patternProperties: { 'f.*o': { type: 'integer' }, '^a': { minimum: 5 } } },
    valid: [{ foo: 1 }, { afoo: 5 }, { x: 'y' }],
    invalid: [{ foo: 'x' }, { afoo: 1 }],
  },
  {
    name: 'propertyNames',
    schema: { propertyNames: { maxLength: 2 } },
    valid: [{ ab: 1 }, {}],
    invalid: [{ abc: 1 }],
  },
  {
    name: 'counts of properties',
    schema: { minProperties: 1, maxProperties: 2 },
    valid: [{ a: 1 }, { a: 1, b: 2 }, []],
    invalid: [{}, { a: 1, b: 2, c: 3 }],
  },
  {
    name: 'dependentRequired',
    schema: { dependentRequired: { a: ['b'] } },
    valid: [{}, { b: 1 }, { a: 1, b: 1 }],
    invalid: [{ a: 1 }],
  },
  {
    name: 'dependentSchemas',
    schema: { dependentSchemas: { a: { required: ['b'] }, c: false } },
    valid: [{ a: 1, b: 1 }, {}],
    invalid: [{ a: 1 }, { c: 1 }],
  },
  {
    name: 'dependencies',
    schema: { $schema: DRAFT_07, dependencies: { a: ['b'], c: { required: ['d'] } } },
    valid: [{ a: 1, b: 1 }, { c: 1, d: 1 }, {}],
    invalid: [{ a: 1 }, { c: 1 }],
  },
  {
    name: 'dependentRequired toString',
    schema: { dependentRequired: { toString: ['x'] } },
    valid: [{}],
    invalid: [{ toString: 1 }],
  },
  {
    name: 'unevaluatedProperties after allOf',
    schema: { properties: { a: true }, allOf: [{ properties: { b: true } }], unevaluatedProperties: false },
    valid: [{ a: 1, b: 2 }],
    invalid: [{ c: 1 }],
  },
  {
    name: 'unevaluatedProperties with if',
    schema: {
      if: { properties: { k: { const: 1 } }, required: ['k'] },
      then: { properties: { a: true } },
      else: { properties: { b: true } },
      unevaluatedProperties: false,
    },
    valid: [{ k: 1, a: 1 }, { b: 1 }],
    invalid: [{ k: 1, b: 1 }, { a: 1 }],
  },
  {
    name: 'unevaluatedProperties with a failed alternative',
    schema: {
      anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { properties: { b: true } }],
      unevaluatedProperties: false,
    },
    valid: [{ a: 1, b: 2 }, { b: 1 }],
    invalid: [{ a: 2 }],
  },
  {
    name: 'unevaluatedProperties through $ref',
    schema: { $ref: '#/$defs/x', $defs: { x: { properties: { a: true } } }, unevaluatedProperties: false },
    valid: [{ a: 1 }],
    invalid: [{ b: 1 }],
  },
  {
    name: 'unevaluatedProperties inside does not see outside',
    schema: { properties: { a: true }, allOf: [{ unevaluatedProperties: false }] },
    valid: [{}],
    invalid: [{ a: 1 }],
  },
  {
    name: 'unevaluatedProperties around unevaluatedProperties',
    schema: {
      allOf: [{ properties: { a: true }, unevaluatedProperties: { type: 'number' } }],
      unevaluatedProperties: false,
    },
    valid: [{ a: 'x', b: 1 }],
    invalid: [{ b: 'x' }],
  },
  {
    name: 'unevaluatedProperties with dependentSchemas',
    schema: {
      properties: { a: true },
      dependentSchemas: { a: { properties: { b: true } } },
      unevaluatedProperties: false,
    },
    valid: [{ a: 1, b: 1 }],
    invalid: [{ b: 1 }],
  },
  {
    name: 'unevaluatedProperties does not see nested',
    schema: { properties: { a: { properties: { b: true } } }, unevaluatedProperties: false },
    valid: [{ a: { b: 1, c: 1 } }],
    invalid: [{ b: 1 }],
  },
];

/** Cases for combinations and references. */
export const COMBINED_CASES: readonly KeywordCase[] = [
  { name: 'allOf', schema: { allOf: [{ minimum: 1 }, { maximum: 3 }] }, valid: [2], invalid: [0, 4] },
  {
    name: 'anyOf',
    schema: { anyOf: [{ type: 'string' }, { minimum: 3 }] },
    valid: ['a', 3, null],
    invalid: [1],
  },
  {
    name: 'oneOf',
    schema: { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] },
    valid: [2, 3],
    invalid: [6, 5],
  },
  { name: 'not', schema: { not: { type: 'string' } }, valid: [1], invalid: ['a'] },
  {
    name: 'if then else',
    schema: { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 5 } },
    valid: ['ab', 5],
    invalid: ['a', 4],
  },
  { name: 'then without if', schema: { then: false, else: false }, valid: [1], invalid: [] },
  {
    name: '$ref to $defs',
    schema: { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$ref beside keywords',
    schema: { $ref: '#/$defs/a', maxLength: 1, $defs: { a: { type: 'string' } } },
    valid: ['x'],
    invalid: [1, 'xx'],
  },
  {
    name: '$ref alone in draft 07',
    schema: {
      $schema: DRAFT_07,
      definitions: { a: { type: 'string' } },
      properties: { p: { $ref: '#/definitions/a', maxLength: 1 } },
    },
    valid: [{ p: 'xx' }],
    invalid: [{ p: 1 }],
  },
  {
    name: 'recursion',
    schema: { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
    valid: [{ next: { next: {} } }],
    invalid: [{ next: { next: 1 } }, { other: 1 }],
  },
  {
    name: '$ref with escapes',
    schema: { $ref: '#/$defs/a~1b%25~0c', $defs: { 'a/b%~c': { type: 'string' } } },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$anchor',
    schema: { $ref: '#name', $defs: { a: { $anchor: 'name', type: 'string' } } },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$id inside',
    schema: { $id: 'https://example.test/root', $ref: 'item', $defs: { a: { $id: 'item', type: 'string' } } },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$id with an anchor',
    schema: {
      $id: 'https://example.test/root',
      $ref: 'item#x',
      $defs: { a: { $id: 'item', $defs: { y: { $anchor: 'x', type: 'string' } } } },
    },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$id changes what # means',
    schema: {
      $defs: {
        a: { $id: 'https://example.test/a', $defs: { s: { type: 'string' } }, $ref: '#/$defs/s' },
        s: { type: 'number' },
      },
      $ref: '#/$defs/a',
    },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$id as a fragment in draft 07',
    schema: {
      $schema: DRAFT_07,
      definitions: { a: { $id: '#name', type: 'string' } },
      allOf: [{ $ref: '#name' }],
    },
    valid: ['x'],
    invalid: [1],
  },
  {
    name: '$id in an enum is no identifier',
    schema: {
      $id: 'https://example.test/e',
      $defs: {
        a: { enum: [{ $id: 'https://example.test/t', type: 'null' }] },
        b: { $id: 'https://example.test/t', type: 'string' },
      },
      $ref: 't',
    },
    valid: ['x'],
    invalid: [null],
  },
  {
    name: '$dynamicRef to the outermost',
    schema: {
      $id: 'https://example.test/tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    },
    valid: [{ children: [{ data: 1 }] }],
    invalid: [{ children: [1] }, 1],
  },
  {
    name: '$dynamicRef is extended',
    schema: {
      $id: 'https://example.test/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    },
    valid: [{ children: [{ data: 1 }] }],
    invalid: [{ children: [{ daat: 1 }] }, { daat: 1 }],
  },
  {
    name: '$dynamicRef to a plain anchor',
    schema: {
      $id: 'https://example.test/p',
      type: 'array',
      items: { $dynamicRef: '#items' },
      $defs: { foo: { $anchor: 'items', type: 'string' } },
    },
    valid: [['x']],
    invalid: [[1]],
  },
  {
    name: '$recursiveRef is extended',
    schema: {
      $schema: DRAFT_2019_09,
      $id: 'https://example.test/strict19',
      $recursiveAnchor: true,
      $ref: 'tree19',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree19',
          $recursiveAnchor: true,
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $recursiveRef: '#' } } },
        },
      },
    },
    valid: [{ children: [{ data: 1 }] }],
    invalid: [{ children: [{ daat: 1 }] }, { daat: 1 }],
  },
  {
    name: 'unknown keywords',
    schema: { unknown: 5, title: 'x', default: 1, examples: [] },
    valid: [1],
    invalid: [],
  },
  {
    name: '$ref into an unknown keyword',
    schema: { $ref: '#/stuff/a', stuff: { a: { type: 'string' } } },
    valid: ['x'],
    invalid: [1],
    differs: 'the oracles follow references to known places only',
  },
  {
    name: 'a property named $ref',
    schema: { properties: { $ref: { type: 'string' } } },
    valid: [{ $ref: 'a' }],
    invalid: [{ $ref: 1 }],
  },
];

/** Cases of the formats that are asserted. */
export const FORMAT_CASES: readonly KeywordCase[] = [
  {
    name: 'date',
    schema: { format: 'date' },
    valid: ['2024-02-29', '2000-02-29', 1],
    invalid: [
      '2023-02-29',
      '1900-02-29',
      '2024-13-01',
      '2024-1-01',
      '2024-04-31',
      '2024-00-10',
      '02024-01-01',
      'x',
    ],
  },
  {
    name: 'time',
    schema: { format: 'time' },
    valid: ['23:59:60Z', '00:00:00.123+05:30', '08:30:06z', '15:59:60-08:00'],
    invalid: ['24:00:00Z', '00:60:00Z', '12:00:00', '22:59:60Z', '12:00Z', '01:00:00+24:00'],
  },
  {
    name: 'date-time',
    schema: { format: 'date-time' },
    valid: ['2026-11-21T06:15:00Z', '1985-04-12t23:20:50.52z'],
    invalid: ['2026-11-21 06:15:00Z', '2026-11-21T06:15:00', '2026-02-30T00:00:00Z', '2026-11-21'],
  },
  {
    name: 'duration',
    schema: { format: 'duration' },
    valid: ['P4DT12H30M5S', 'P1W', 'PT0S', 'P1M', 'PT36H'],
    invalid: ['P', 'PT', 'P1', '1D', 'P1W2D', 'P2D1Y', 'PT1D'],
  },
  {
    name: 'email',
    schema: { format: 'email' },
    valid: [
      'joe.bloggs@example.com',
      'te~st@example.com',
      'a@localhost',
      '"joe bloggs"@example.com',
      'joe@[127.0.0.1]',
    ],
    invalid: [
      '2962',
      '.a@example.com',
      'a..b@example.com',
      'a.@example.com',
      'a@',
      '@b',
      'a b@c.d',
      'joe@[127.0.0.300]',
    ],
  },
  {
    name: 'hostname',
    schema: { format: 'hostname' },
    valid: ['www.example.com', 'xn--4gbwdl.xn--wgbh1c', 'a', '1a'],
    invalid: [
      '-bad',
      'bad-',
      'not_valid',
      'a..b',
      '.a',
      'a.',
      '',
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(130)}a`,
    ],
  },
  {
    name: 'ipv4',
    schema: { format: 'ipv4' },
    valid: ['192.168.0.1', '0.0.0.0', '255.255.255.255'],
    invalid: ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4.', '1.2.3.4\n', ''],
  },
  {
    name: 'ipv6',
    schema: { format: 'ipv6' },
    valid: [
      '::1',
      '::',
      'abcd:ef01:2345:6789:abcd:ef01:2345:6789',
      '::ffff:192.168.0.1',
      'd6::',
      '1:2::192.168.0.1',
      '1::d6:192.168.0.1',
      '1:2:3:4:5:6:1.2.3.4',
      '1:2:3:4:5:6:7::',
    ],
    invalid: [
      '12345::',
      '1:1:1:1:1:1:1:1:1',
      '::laptop',
      '2:3:4:5:6:7:8',
      ':2:3:4:5:6:7:8',
      '1:2:3:4:5:::8',
      '1::d6::42',
      '1::2:192.168.256.1',
      '1:2:3:4:1.2.3',
      '::1%eth0',
      '1:2:3:4:5:6:7:8::',
      '1.2.3.4::',
    ],
  },
  {
    name: 'uri',
    schema: { format: 'uri' },
    valid: [
      'http://foo.bar/?baz=qux#quux',
      'mailto:a@b.c',
      'urn:uuid:1',
      'http://user:pw@[::1]:80/x',
      'ftp://ftp.example/%20',
      'tel:+1-816-555-1212',
      'file:///x',
    ],
    invalid: [
      '/abc',
      '//foo.bar',
      '\\\\x',
      'http:// shouldfail',
      ':// should fail',
      'bar,baz:x',
      'http://a.b/%zz',
      'http://foo/{x}',
      'http://[1]/',
      'http://ex:p1/',
    ],
  },
  {
    name: 'uri-reference',
    schema: { format: 'uri-reference' },
    valid: ['/abc', 'abc', '', '#frag', '//foo.bar/?q', '?x', './a:b', 'http://x'],
    invalid: ['\\\\WINDOWS', '#frag\\ment', 'a b', '1:b'],
  },
  {
    name: 'uuid',
    schema: { format: 'uuid' },
    valid: [
      '2EB8AA08-AA98-11EA-B4AA-73B441D16380',
      '2eb8aa08-aa98-11ea-b4aa-73b441d16380',
      '00000000-0000-0000-0000-000000000000',
    ],
    invalid: [
      '2eb8aa08-aa98-11ea-b4aa-73b441d1638',
      '2eb8aa08aa9811eab4aa73b441d16380',
      '2eb8aa08-aa98-11ea-b4ga-73b441d16380',
    ],
  },
  {
    name: 'json-pointer',
    schema: { format: 'json-pointer' },
    valid: ['', '/a~0b~1c/0', '/'],
    invalid: ['a', '/~2', '/~', '#/a'],
  },
  {
    name: 'relative-json-pointer',
    schema: { format: 'relative-json-pointer' },
    valid: ['0', '1/a', '0#', '120/x'],
    invalid: ['', '/a', '-1/a', '0##', '01/a', '+1'],
  },
  {
    name: 'regex',
    schema: { format: 'regex' },
    valid: ['([abc])+\\s+$', '^a$', ''],
    invalid: ['^(abc]', '(', '*'],
  },
  { name: 'an unknown format', schema: { format: 'unheard-of' }, valid: ['x'], invalid: [] },
];
