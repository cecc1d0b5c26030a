/**
 * OpenAI dialect: the JSON Schema subset of strict structured outputs. `codex --output-schema` uses
 * it too. Pure.
 */
import type { DialectProfile, SchemaDialect } from './dialect-profile.ts';
import {
  bareReferences,
  closedObject,
  closedObjects,
  describesObject,
  keywordValue,
  notAtRoot,
  onlyFormats,
  onlyKeywords,
  propertyNames,
  rootIsObject,
  typedSchemas,
  wholeLimit,
  type RuleOrigin,
} from './rule-makers.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from '../analysis/schema-place.ts';
import type { DialectNode, SchemaRule } from '../analysis/schema-rule.ts';

const DOCUMENT: RuleOrigin = { source: 'OpenAI structured outputs, supported schemas', date: '2026-11-21' };
const SERVICE: RuleOrigin = {
  source: 'OpenAI Responses API, `regex lookaround is not supported` (400), also for Codex',
  date: '2026-11-21',
};
const SDK: RuleOrigin = { source: 'openai-node 6.26.0, its transform to strict schemas', date: '2026-11-21' };

const MAX_PROPERTIES = 5_000;
const MAX_DEPTH = 10;
const MAX_NAME_CHARS = 120_000;
const MAX_ENUM_VALUES = 1_000;
const MAX_LONG_ENUM_CHARS = 15_000;
const LONG_ENUM_VALUES = 250;

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$schema $ref $defs definitions type title description enum const anyOf properties required additionalProperties ' +
    'items minItems maxItems pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
  ).split(' '),
);

const FORMATS: ReadonlySet<string> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);

const TEXT = { type: 'string' };

/** Returns true if a pattern has a lookahead or lookbehind. */
function looksAround(pattern: unknown): boolean {
  return typeof pattern === 'string' && /\(\?(?:[=!]|<[=!])/u.test(pattern);
}

function enumValues({ schema }: DialectNode): readonly unknown[] {
  return Array.isArray(schema['enum']) ? schema['enum'] : [];
}

function countChars(values: readonly unknown[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'string' ? value.length : 0), 0);
}

function countNames(nodes: readonly DialectNode[]): number {
  return nodes.reduce((total, node) => {
    const definitions = [node.schema['$defs'], node.schema['definitions']]
      .filter(isRecord)
      .flatMap(Object.keys);
    return (
      total + countChars([...propertyNames(node), ...definitions, ...enumValues(node), node.schema['const']])
    );
  }, 0);
}

function nested(levels: number): SchemaObject {
  return closedObject({ a: levels === 1 ? TEXT : nested(levels - 1) });
}

function manyProperties(count: number): SchemaObject {
  return closedObject(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, TEXT])));
}

function enumOf(count: number, chars: number): SchemaObject {
  const values = Array.from({ length: count }, (_, index) => String(index).padStart(chars, '0'));
  return closedObject({ a: { type: 'string', enum: values } });
}

const RULES: readonly SchemaRule[] = [
  rootIsObject(DOCUMENT),
  notAtRoot(['anyOf'], DOCUMENT),
  onlyKeywords(KEYWORDS, DOCUMENT),
  typedSchemas(DOCUMENT),
  closedObjects(DOCUMENT),
  bareReferences(SDK),
  onlyFormats(FORMATS, DOCUMENT),
  keywordValue(
    'a `pattern` without look-around',
    'pattern',
    {
      accepted: closedObject({ a: { type: 'string', pattern: '^(?:a|b)$' } }),
      rejected: closedObject({ a: { type: 'string', pattern: '^(?!a)' } }),
    },
    SERVICE,
    (pattern) => !looksAround(pattern),
  ),
  {
    rule: 'every property in `required` (an optional one is a union with `null`)',
    ...DOCUMENT,
    accepted: closedObject({ a: { type: ['string', 'null'] } }),
    rejected: { ...closedObject({ a: TEXT }), required: [] },
    findBreach(node) {
      const { required } = node.schema;
      const names = new Set<unknown>(Array.isArray(required) ? required : []);
      const optional = propertyNames(node).find((name) => !names.has(name));
      return optional === undefined ? undefined : ['properties', optional];
    },
  },
  {
    rule: `at most ${MAX_DEPTH} nested objects`,
    ...DOCUMENT,
    accepted: nested(MAX_DEPTH),
    rejected: nested(MAX_DEPTH + 1),
    findBreach: (node) => (describesObject(node) && node.depth >= MAX_DEPTH ? [] : undefined),
  },
  wholeLimit(
    `at most ${MAX_PROPERTIES} properties`,
    MAX_PROPERTIES,
    (excess) => manyProperties(MAX_PROPERTIES + excess),
    DOCUMENT,
    (nodes) => nodes.reduce((total, node) => total + propertyNames(node).length, 0),
  ),
  wholeLimit(
    `at most ${MAX_NAME_CHARS} characters in all names and fixed values`,
    MAX_NAME_CHARS,
    (excess) => enumOf(200, 599 + 2 * excess),
    DOCUMENT,
    countNames,
  ),
  wholeLimit(
    `at most ${MAX_ENUM_VALUES} enum values`,
    MAX_ENUM_VALUES,
    (excess) => enumOf(MAX_ENUM_VALUES + excess, 4),
    DOCUMENT,
    (nodes) => nodes.reduce((total, node) => total + enumValues(node).length, 0),
  ),
  {
    rule: `at most ${MAX_LONG_ENUM_CHARS} characters in an enum of more than ${LONG_ENUM_VALUES} values`,
    ...DOCUMENT,
    get accepted(): SchemaObject {
      return enumOf(LONG_ENUM_VALUES, 100);
    },
    get rejected(): SchemaObject {
      return enumOf(LONG_ENUM_VALUES + 1, 100);
    },
    findBreach(node) {
      const values = enumValues(node);
      return values.length > LONG_ENUM_VALUES && countChars(values) > MAX_LONG_ENUM_CHARS
        ? ['enum']
        : undefined;
    },
  },
];

function strictProfile(name: SchemaDialect): DialectProfile {
  return {
    name,
    rules: RULES,
    keywords: KEYWORDS,
    formats: FORMATS,
    method: 'rebuilt',
    optional: 'required-nullable',
    maps: 'entries',
    tuples: 'object',
    recursion: 'kept',
    literals: new Set(['string', 'number', 'boolean', 'null']),
    emptyObjects: true,
    root: 'object',
    takes: (keyword, value) => keyword !== 'pattern' || !looksAround(value),
  };
}

/** OpenAI's `response_format` and `text.format` with `strict`. */
export const OPENAI_DIALECT: DialectProfile = strictProfile('openai');

/** The schema is sent to the same service, in strict mode. */
export const CODEX_DIALECT: DialectProfile = strictProfile('codex');
