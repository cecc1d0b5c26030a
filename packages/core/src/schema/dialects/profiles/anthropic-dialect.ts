/** Anthropic dialect: the JSON Schema subset of structured outputs in the Messages API. Pure. */
import type { DialectProfile } from './dialect-profile.ts';
import {
  bareReferences,
  closedObject,
  closedObjects,
  keywordValue,
  notAtRoot,
  onlyFormats,
  onlyKeywords,
  propertyNames,
  rootIsObject,
  typedSchemas,
  type RuleOrigin,
} from './rule-makers.ts';
import { findCircles } from '../analysis/definition-circles.ts';
import { isUnion } from '../analysis/nullable.ts';
import { collectNodes, type DialectNode, type SchemaRule } from '../analysis/schema-rule.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

const DOCUMENT: RuleOrigin = {
  source: 'Anthropic structured outputs, JSON Schema limitations',
  date: '2026-11-21',
};
const SDK: RuleOrigin = {
  source: 'anthropic-sdk-typescript 0.91.1, its transform of JSON Schema',
  date: '2026-11-21',
};

const SERVICE: RuleOrigin = {
  source: 'Anthropic Messages API, a union at the root is refused: https://github.com/vercel/ai/issues/21350',
  date: '2026-11-21',
};

const LIMITS: RuleOrigin = {
  source: 'Anthropic Messages API, the limits that its 400 names: https://github.com/vercel/ai/pull/17268',
  date: '2026-11-22',
};

/** Maximum of optional properties in one request. */
const MAX_OPTIONAL = 24;
/** Maximum of parameters with a union type in one request. */
const MAX_UNIONS = 16;

const KEYWORDS: ReadonlySet<string> = new Set(
  '$ref $defs type title description enum const anyOf allOf properties required additionalProperties items minItems format'.split(
    ' ',
  ),
);

const FORMATS: ReadonlySet<string> = new Set(
  'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '),
);

const TEXT = { type: 'string' };

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function findCircle(root: SchemaObject): string | undefined {
  const circles = findCircles(isRecord(root['$defs']) ? root['$defs'] : {});
  return [...circles.keys()][0];
}

/** Optional properties, in all objects of a schema. */
function optionalPlaces(nodes: readonly DialectNode[]): readonly SchemaPath[] {
  return nodes.flatMap((node) => {
    const { required } = node.schema;
    const names = new Set<unknown>(Array.isArray(required) ? required : []);
    return propertyNames(node)
      .filter((name) => !names.has(name))
      .map((name) => [...node.path, 'properties', name]);
  });
}

function unionPlaces(nodes: readonly DialectNode[]): readonly SchemaPath[] {
  return nodes.filter(({ schema }) => isUnion(schema)).map(({ path }) => path);
}

/** Counts the parameters that the service limits per request. */
function countParameters(schema: SchemaObject): {
  readonly optional: number;
  readonly unions: number;
} {
  const nodes = collectNodes(schema);
  return { optional: optionalPlaces(nodes).length, unions: unionPlaces(nodes).length };
}

/** Limit of a whole request. Reported at the first part that exceeds it. */
function requestLimit(
  rule: string,
  max: number,
  exampleOf: (count: number) => SchemaObject,
  placesOf: (nodes: readonly DialectNode[]) => readonly SchemaPath[],
): SchemaRule {
  return {
    rule,
    ...LIMITS,
    get accepted(): SchemaObject {
      return exampleOf(max);
    },
    get rejected(): SchemaObject {
      return exampleOf(max + 1);
    },
    findBreach: ({ path }, nodes) => (path.length === 0 ? placesOf(nodes)[max] : undefined),
  };
}

function manyOptional(count: number): SchemaObject {
  return { ...manyOf(count, TEXT), required: [] };
}

function manyUnions(count: number): SchemaObject {
  return manyOf(count, { type: ['string', 'null'] });
}

function manyOf(count: number, schema: SchemaObject): SchemaObject {
  const entries = Array.from({ length: count }, (_, index): [string, SchemaObject] => [
    `p${index}`,
    { ...schema },
  ]);
  return closedObject(Object.fromEntries(entries));
}

const RULES: readonly SchemaRule[] = [
  rootIsObject(SERVICE),
  notAtRoot(['anyOf', 'oneOf', 'allOf'], SERVICE),
  onlyKeywords(KEYWORDS, SDK),
  typedSchemas(SDK),
  closedObjects(DOCUMENT),
  bareReferences(SDK),
  onlyFormats(FORMATS, SDK),
  keywordValue(
    '`minItems` of 0 or 1',
    'minItems',
    {
      accepted: closedObject({ a: { type: 'array', items: TEXT, minItems: 1 } }),
      rejected: closedObject({ a: { type: 'array', items: TEXT, minItems: 2 } }),
    },
    SDK,
    (value) => value === 0 || value === 1,
  ),
  keywordValue(
    'strings, numbers, booleans and null in an `enum`',
    'enum',
    {
      accepted: closedObject({ a: { enum: ['a', 1, null] } }),
      rejected: closedObject({ a: { enum: [{ b: 1 }] } }),
    },
    DOCUMENT,
    (values) => Array.isArray(values) && values.every(isScalar),
  ),
  {
    rule: 'no recursive definition',
    ...DOCUMENT,
    accepted: { ...closedObject({ a: { $ref: '#/$defs/b' } }), $defs: { b: closedObject({ c: TEXT }) } },
    rejected: {
      ...closedObject({ a: { $ref: '#/$defs/b' } }),
      $defs: { b: closedObject({ c: { type: 'array', items: { $ref: '#/$defs/b' } } }) },
    },
    findBreach({ schema, path }) {
      const name = path.length === 0 ? findCircle(schema) : undefined;
      return name === undefined ? undefined : ['$defs', name];
    },
  },
  requestLimit(`at most ${MAX_OPTIONAL} optional properties`, MAX_OPTIONAL, manyOptional, optionalPlaces),
  requestLimit(`at most ${MAX_UNIONS} parameters with a union type`, MAX_UNIONS, manyUnions, unionPlaces),
];

/** `output_config.format` with a `json_schema`. */
export const ANTHROPIC_DIALECT: DialectProfile = {
  name: 'anthropic',
  rules: RULES,
  keywords: KEYWORDS,
  formats: FORMATS,
  method: 'rebuilt',
  optional: 'kept',
  maps: 'entries',
  tuples: 'object',
  recursion: 'json-text',
  literals: new Set(['string', 'number', 'boolean', 'null']),
  emptyObjects: true,
  root: 'object',
  nullablesFor(schema) {
    const { optional, unions } = countParameters(schema);
    const excess = optional - MAX_OPTIONAL;
    return excess > 0 && unions + excess <= MAX_UNIONS ? excess : 0;
  },
  takes: (keyword, value) => keyword !== 'minItems' || value === 0 || value === 1,
};
