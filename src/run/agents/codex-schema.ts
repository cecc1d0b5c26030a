/** Owns what `codex --output-schema` takes: OpenAI's strict structured outputs. Pure. */
import {
  isRecord,
  notAtRoot,
  onlyKeywords,
  rootIsObject,
  type SchemaNode,
  type SchemaRule,
} from './schema-rules.ts';

const SOURCE = 'OpenAI structured outputs, supported schemas';
const DATE = '2026-11-21';

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

function describesObject({ schema }: SchemaNode): boolean {
  const { type } = schema;
  return (
    type === 'object' || (Array.isArray(type) && type.includes('object')) || isRecord(schema['properties'])
  );
}

function propertyNames({ schema }: SchemaNode): readonly string[] {
  return isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}

function enumValues({ schema }: SchemaNode): readonly unknown[] {
  return Array.isArray(schema['enum']) ? schema['enum'] : [];
}

function countChars(values: readonly unknown[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'string' ? value.length : 0), 0);
}

function countNames(nodes: readonly SchemaNode[]): number {
  return nodes.reduce((total, node) => {
    const definitions = [node.schema['$defs'], node.schema['definitions']]
      .filter(isRecord)
      .flatMap(Object.keys);
    return (
      total + countChars([...propertyNames(node), ...definitions, ...enumValues(node), node.schema['const']])
    );
  }, 0);
}

/** A bound on the schema as a whole, told at its root. */
function limit(rule: string, max: number, measure: (nodes: readonly SchemaNode[]) => number): SchemaRule {
  return {
    rule,
    source: SOURCE,
    date: DATE,
    findBreach: ({ path }, nodes) => (path.length === 0 && measure(nodes) > max ? [] : undefined),
  };
}

/** What the service refuses with a 400, after the run has already begun. */
export const CODEX_SCHEMA_RULES: readonly SchemaRule[] = [
  rootIsObject(SOURCE, DATE),
  notAtRoot(['anyOf'], SOURCE, DATE),
  onlyKeywords(KEYWORDS, SOURCE, DATE),
  {
    rule: '`"additionalProperties": false` in every object',
    source: SOURCE,
    date: DATE,
    findBreach: (node) =>
      describesObject(node) && node.schema['additionalProperties'] !== false
        ? ['additionalProperties']
        : undefined,
  },
  {
    rule: 'every property in `required` (an optional one is a union with `null`)',
    source: SOURCE,
    date: DATE,
    findBreach(node) {
      const { required } = node.schema;
      const optional = propertyNames(node).find(
        (name) => !(Array.isArray(required) && required.includes(name)),
      );
      return optional === undefined ? undefined : ['properties', optional];
    },
  },
  {
    rule: `at most ${MAX_DEPTH} objects within each other`,
    source: SOURCE,
    date: DATE,
    findBreach: (node) => (describesObject(node) && node.depth >= MAX_DEPTH ? [] : undefined),
  },
  limit(
    `at most ${MAX_PROPERTIES} properties`,
    MAX_PROPERTIES,
    (nodes) => nodes.flatMap(propertyNames).length,
  ),
  limit(`at most ${MAX_NAME_CHARS} characters in all names and fixed values`, MAX_NAME_CHARS, countNames),
  limit(
    `at most ${MAX_ENUM_VALUES} enum values`,
    MAX_ENUM_VALUES,
    (nodes) => nodes.flatMap(enumValues).length,
  ),
  {
    rule: `at most ${MAX_LONG_ENUM_CHARS} characters in an enum of more than ${LONG_ENUM_VALUES} values`,
    source: SOURCE,
    date: DATE,
    findBreach(node) {
      const values = enumValues(node);
      return values.length > LONG_ENUM_VALUES && countChars(values) > MAX_LONG_ENUM_CHARS
        ? ['enum']
        : undefined;
    },
  },
];
