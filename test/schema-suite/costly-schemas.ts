/**
 * Schema families that cost more than their size: merges that multiply, shared parts, long lists.
 * For tests, fuzzing and the bench.
 */

type Schema = Readonly<Record<string, unknown>>;

/** A schema of a family. */
export interface CostlySchema {
  readonly name: string;
  readonly schema: Schema;
}

const TEXT = { type: 'string' };

function record(count: number, entry: (index: number) => readonly [string, unknown]): Schema {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));
}

/** A definition that merges itself with a sibling: the copy contains the same merge again. */
export const SELF_MERGE: Schema = {
  $ref: '#/definitions/t',
  definitions: {
    t: {
      type: 'object',
      properties: {
        n: { allOf: [{ $ref: '#/definitions/t' }, { properties: { n: { description: 'x' } } }] },
      },
    },
  },
};

/** Alternatives that each merge the next definition with an additional property. */
export function nestedMerges(levels: number, width = 4): Schema {
  const definitions = record(levels, (level) => [
    `d${level}`,
    {
      oneOf: Array.from({ length: width }, (_, index) => ({
        allOf: [
          { $ref: `#/$defs/d${level + 1}` },
          { type: 'object', properties: { [`p${level}_${index}`]: TEXT } },
        ],
      })),
    },
  ]);
  return {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: { ...definitions, [`d${levels}`]: { type: 'object', properties: { z: TEXT } } },
  };
}

/**
 * Properties that each merge the next definition with a description: the copies multiply by `width`
 * per level.
 */
export function nestedCopies(levels: number, width = 4): Schema {
  const definitions = record(levels, (level) => [
    `d${level}`,
    {
      type: 'object',
      properties: record(width, (index) => [
        `p${index}`,
        { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { minProperties: index }] },
      ]),
    },
  ]);
  return {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: { ...definitions, [`d${levels}`]: { type: 'object', properties: { z: TEXT } } },
  };
}

/** Optional properties. */
export function optionalProperties(count: number): Schema {
  return { type: 'object', properties: record(count, (index) => [`p${index}`, TEXT]) };
}

/** An enumeration of numbers. */
export function longEnum(count: number): Schema {
  const values = Array.from({ length: count }, (_, index) => index % 10_000);
  return { type: 'object', properties: { a: { type: 'integer', enum: [...new Set(values)] } } };
}

/** Definitions that all refer to each other. */
export function mutualReferences(count: number): Schema {
  const definitions = record(count, (index) => [
    `d${index}`,
    {
      type: 'object',
      properties: record(count, (other) => [`p${other}`, { $ref: `#/$defs/d${other}` }]),
    },
  ]);
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: definitions };
}

/** Alternatives with sibling properties that each of them must also have. */
export function wideUnion(count: number, beside = 0): Schema {
  const alternatives = Array.from({ length: count }, (_, index) => ({ required: [`r${index}`] }));
  return {
    type: 'object',
    properties: { u: { properties: record(beside, (index) => [`b${index}`, TEXT]), anyOf: alternatives } },
  };
}

/** References that double their accepted values at each step. */
export function doublingUnion(levels: number): Schema {
  const definitions = record(levels, (level) => [
    `d${level}`,
    { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
  ]);
  return {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: { ...definitions, [`d${levels}`]: { type: 'null' } },
  };
}

/**
 * Enumerations with a sibling keyword that narrows them, and definitions that each of them could
 * refer to.
 */
export function narrowedEnums(count: number): Schema {
  return {
    type: 'object',
    properties: record(count, (index) => [
      `e${index}`,
      { enum: [{ a: 1 }, { b: 2 }, 'x'], minProperties: 1 },
    ]),
    $defs: record(count, (index) => [`d${index}`, { type: 'string', maxLength: index }]),
  };
}

/** References by anchor, each of which could be defined anywhere. */
export function anchors(count: number): Schema {
  return {
    type: 'object',
    properties: record(count, (index) => [`p${index}`, { $ref: `#a${index}` }]),
    $defs: record(count, (index) => [`d${index}`, { $anchor: `a${index}`, type: 'string' }]),
  };
}

/** Everything in one `allOf`. */
export function longAllOf(count: number): Schema {
  return {
    type: 'object',
    properties: {
      a: { allOf: Array.from({ length: count }, (_, index) => ({ properties: { [`p${index}`]: TEXT } })) },
    },
  };
}

/** Merged unions: the pairs of two lists are alternatives, and merge again. */
export function mergedUnions(count: number): Schema {
  const union = (level: number): Schema => ({
    anyOf: Array.from({ length: 4 }, (_, index) => ({
      type: 'object',
      properties: { [`u${level}_${index}`]: TEXT },
    })),
  });
  return {
    type: 'object',
    properties: { a: { allOf: Array.from({ length: count }, (_, level) => union(level)) } },
  };
}

/** A chain of definitions that are each the only entry of an `allOf`. */
export function longChain(count: number): Schema {
  return {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: {
      ...record(count, (index) => [
        `d${index}`,
        { type: 'object', properties: { n: { $ref: `#/$defs/d${index + 1}` } } },
      ]),
      [`d${count}`]: TEXT,
    },
  };
}

/** Every family at sizes of at most 16 KiB. */
export const COSTLY: readonly CostlySchema[] = [
  { name: 'a definition merged with itself', schema: SELF_MERGE },
  ...[6, 8, 12].map((levels) => ({
    name: `alternatives that merge the next definition, ${levels} levels`,
    schema: nestedMerges(levels),
  })),
  ...[6, 12, 20].map((levels) => ({
    name: `properties that merge the next definition, ${levels} levels`,
    schema: nestedCopies(levels),
  })),
  { name: '700 optional properties', schema: optionalProperties(700) },
  { name: 'an enum of 3,000 numbers', schema: longEnum(3_000) },
  { name: '20 definitions that refer to each other', schema: mutualReferences(20) },
  { name: '800 alternatives', schema: wideUnion(800) },
  { name: '300 alternatives beside 300 properties', schema: wideUnion(300, 300) },
  { name: 'references that double 200 times', schema: doublingUnion(200) },
  { name: '100 narrowed enums', schema: narrowedEnums(100) },
  { name: '200 anchors', schema: anchors(200) },
  { name: '400 schemas in one allOf', schema: longAllOf(400) },
  { name: '40 merged unions', schema: mergedUnions(40) },
  { name: 'a chain of 200 definitions', schema: longChain(200) },
];

/** Larger than 16 KiB, as programs might write them. */
export const LARGE: readonly CostlySchema[] = [
  { name: '4,000 optional properties', schema: optionalProperties(4_000) },
  { name: 'an enum of 10,000 numbers', schema: longEnum(10_000) },
  { name: '46 definitions that refer to each other', schema: mutualReferences(46) },
  { name: '836 alternatives', schema: wideUnion(836) },
];
