/**
 * Schema generator, at most 16 KiB each: random schemas, costly families, and mutations of real
 * ones. Seeded, so that a number identifies a schema.
 */
import { readFileSync } from 'node:fs';
import * as families from './costly-schemas.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A generated schema and its generator. */
export interface GeneratedSchema {
  readonly generator: string;
  readonly schema: unknown;
}

const MAX_CHARS = 16_384;

/** Returns pseudo-random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chooses parts of one schema. */
class Chooser {
  private readonly random: () => number;
  private left: number;

  constructor(seed: number, parts: number) {
    this.random = seeded(seed);
    this.left = parts;
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  one<TValue>(values: readonly TValue[]): TValue {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('Expected values to choose from.');
    return value;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** Uses one part of the budget. Returns false if the budget is used up. */
  spend(): boolean {
    this.left -= 1;
    return this.left >= 0;
  }
}

const LEAVES: readonly unknown[] = [
  true,
  {},
  { type: 'string' },
  { type: 'integer', minimum: 1 },
  { type: ['string', 'null'] },
  { type: 'null' },
  { enum: ['a', 1, null, { b: 2 }] },
  { const: { a: [1] } },
  { type: 'string', pattern: '^(a|b)+$', minLength: 2 },
  { minimum: 1, exclusiveMinimum: true },
  { format: 'date-time' },
  { type: 'string', enum: ['x', 'y'] },
  { $ref: '#here' },
  { not: {} },
  { type: 'object', properties: {}, additionalProperties: true },
  { type: 'object', properties: { required: { type: 'boolean' } }, required: ['required'] },
];

const REFERENCES = ['#', '#/$defs/a', '#/$defs/b', '#/$defs/c', '#/$defs/d', '#/$defs/h', '#/definitions/e'];
const NAMES = ['a', 'b', 'c', 'required', 'properties', '0', 'output', 'key', '__proto__x'];

function randomSchema(choose: Chooser, depth: number): unknown {
  if (!choose.spend() || depth <= 0 || choose.chance(0.2)) return choose.one(LEAVES);
  const part = (): unknown => randomSchema(choose, depth - 1);
  const list = (most: number): unknown[] => Array.from({ length: 1 + choose.below(most) }, part);
  const map = (most: number): Schema =>
    Object.fromEntries(list(most).map((value) => [choose.one(NAMES), value]));
  const makers: readonly (() => Schema)[] = [
    () => ({ type: 'object', properties: map(5), required: [choose.one(NAMES)] }),
    () => ({
      type: 'object',
      properties: map(8),
      additionalProperties: choose.one([false, true, {}, part()]),
    }),
    () => ({ type: 'object', additionalProperties: part() }),
    () => ({ type: 'object', patternProperties: { '^x': part() }, properties: map(2) }),
    () => ({ type: 'array', items: part() }),
    () => ({ type: 'array', prefixItems: list(4), items: choose.one([false, part()]) }),
    () => ({ type: 'array', items: list(3), additionalItems: part() }),
    () => ({ anyOf: list(4) }),
    () => ({ oneOf: list(5) }),
    () => ({ allOf: list(4) }),
    () => ({ anyOf: list(4), properties: map(4), type: 'object' }),
    () => ({ oneOf: list(3), anyOf: list(3) }),
    () => ({ $ref: choose.one(REFERENCES) }),
    () => ({ $ref: choose.one(REFERENCES), description: 'beside', properties: map(2) }),
    () => ({ allOf: [{ $ref: choose.one(REFERENCES) }, part()] }),
    () => ({ allOf: [{ $ref: choose.one(REFERENCES) }, { $ref: choose.one(REFERENCES) }] }),
    () => ({ enum: Array.from({ length: 1 + choose.below(30) }, () => choose.below(9)), type: 'integer' }),
    () => ({ if: part(), else: part() }),
    () => ({ type: choose.one([['object', 'array'], ['object', 'null'], 'object']), properties: map(3) }),
    () => ({ not: part(), dependentSchemas: map(2), contains: part() }),
  ];
  return choose.one(makers)();
}

function randomDocument(seed: number): unknown {
  const choose = new Chooser(seed, choosePartCount(seed));
  const part = (): unknown => randomSchema(choose, 3 + choose.below(5));
  const root = part();
  const named = { type: 'object', $anchor: 'here', properties: { a: { type: 'string' }, b: part() } };
  const definitions = {
    $defs: { a: part(), b: part(), c: part(), d: part(), h: named },
    definitions: { e: part() },
  };
  return typeof root === 'object' ? { ...root, ...definitions } : { type: 'object', ...definitions };
}

function choosePartCount(seed: number): number {
  return [10, 20, 40, 80, 300][seed % 5] ?? 30;
}

/** Costly families at random sizes. */
function familyOf(seed: number): Schema {
  const choose = new Chooser(seed, 1);
  const size = (most: number): number => 1 + choose.below(most);
  return choose.one([
    () => families.nestedMerges(size(14), size(6)),
    () => families.nestedCopies(size(25), size(8)),
    () => families.optionalProperties(size(650)),
    () => families.longEnum(size(3_400)),
    () => families.mutualReferences(size(22)),
    () => families.wideUnion(size(740), choose.below(2) * size(200)),
    () => families.doublingUnion(size(240)),
    () => families.narrowedEnums(size(160)),
    () => families.anchors(size(250)),
    () => families.longAllOf(size(380)),
    () => families.mergedUnions(size(60)),
    () => families.longChain(size(230)),
  ])();
}

let real: readonly string[] | undefined;

/** Schemas from real programs and the official suite. */
function realSchemas(): readonly string[] {
  if (real !== undefined) return real;
  const cases: unknown = JSON.parse(
    readFileSync(
      new URL('../../packages/core/src/schema/engine/keyword-cases.json', import.meta.url),
      'utf8',
    ),
  );
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value && typeof value.schema === 'object') found.push(JSON.stringify(value.schema));
    for (const member of Object.values(value)) collect(member);
  };
  collect(cases);
  found.push(JSON.stringify(families.SELF_MERGE));
  real = found;
  return found;
}

/** Swaps parts of a schema for parts of another, and for references. */
function mutated(seed: number): unknown {
  const choose = new Chooser(seed, 40);
  const texts = realSchemas();
  const pick = (): unknown => JSON.parse(choose.one(texts));
  const swap = (value: unknown, depth: number): unknown => {
    if (depth > 0 && choose.chance(0.15)) {
      return choose.one([pick, () => ({ $ref: choose.one(REFERENCES) }), () => randomSchema(choose, 3)])();
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((member: unknown) => swap(member, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, swap(member, depth + 1)]));
  };
  const here = { $anchor: 'here', type: 'object', properties: { a: pick() } };
  const definitions = { a: swap(pick(), 0), b: swap(pick(), 0), c: pick(), d: pick(), h: here };
  const root = swap(pick(), 0);
  return { ...(typeof root === 'object' ? root : {}), $defs: definitions, definitions: { e: pick() } };
}

/** Rewrites draft 04 and 07 forms as draft 2020-12 has them: most schemas compile, and reach lowering. */
function modern(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(modern);
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, modern(member)]);
  const {
    items,
    additionalItems,
    exclusiveMinimum,
    exclusiveMaximum,
    $schema: _draft,
    ...rest
  }: Schema = Object.fromEntries(members);
  return {
    ...rest,
    ...boundsOf({ exclusiveMinimum, exclusiveMaximum }),
    ...(Array.isArray(items)
      ? { ...(items.length > 0 && { prefixItems: items }), items: additionalItems ?? true }
      : items !== undefined && { items }),
  };
}

function boundsOf(bounds: Schema): Schema {
  const given = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
  return Object.fromEntries(given.map(([key, bound]) => [key, typeof bound === 'boolean' ? 1 : bound]));
}

const GENERATORS: readonly (readonly [string, (seed: number) => unknown])[] = [
  ['random', randomDocument],
  ['mutated', mutated],
  ['random', randomDocument],
  ['mutated', mutated],
  ['random', randomDocument],
  ['family', familyOf],
  ['random', randomDocument],
  ['mutated', mutated],
];

/** Returns the schema of a number. A schema larger than 16 KiB is reduced. */
export function generateSchema(seed: number): GeneratedSchema {
  for (let attempt = 0; ; attempt += 1) {
    const number = seed + attempt * 1_000_003;
    const [generator, make] = GENERATORS[number % GENERATORS.length] ?? ['random', randomDocument];
    const made = make(number);
    const schema = number % 16 < 14 ? modern(made) : made;
    if (JSON.stringify(schema).length <= MAX_CHARS) return { generator, schema };
  }
}
