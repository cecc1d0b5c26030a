/** Owns what `claude --json-schema` takes of JSON Schema. Pure. */
import { isRecord, notAtRoot, onlyKeywords, rootIsObject, type SchemaRule } from './schema-rules.ts';

const CLI = 'Claude Code 2.1.329, tried';
const API = 'Anthropic Messages API, `tools[].input_schema`';
const DATE = '2026-11-21';

/** The vocabulary of draft-07, which the CLI's validator reads strictly, and `$defs`. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$schema $id $comment $ref $defs definitions type enum const title description default examples deprecated ' +
    'readOnly writeOnly nullable format pattern minLength maxLength contentEncoding contentMediaType contentSchema minimum maximum ' +
    'exclusiveMinimum exclusiveMaximum multipleOf items additionalItems minItems maxItems uniqueItems contains ' +
    'properties patternProperties additionalProperties propertyNames required minProperties maxProperties ' +
    'dependencies allOf anyOf oneOf not if then else'
  ).split(' '),
);

/** What the CLI, or the tool that it makes of the schema, refuses. `$schema` at the root is taken away before it gets there. */
export const CLAUDE_CODE_SCHEMA_RULES: readonly SchemaRule[] = [
  rootIsObject(API, DATE),
  notAtRoot(['oneOf', 'allOf', 'anyOf'], API, DATE),
  onlyKeywords(KEYWORDS, CLI, DATE),
  {
    rule: 'references within the schema only (`#…`)',
    source: CLI,
    date: DATE,
    findBreach({ schema }) {
      const reference = schema['$ref'];
      return typeof reference === 'string' && !reference.startsWith('#') ? ['$ref'] : undefined;
    },
  },
  {
    rule: 'a `pattern` that is a regular expression with the `u` flag',
    source: CLI,
    date: DATE,
    findBreach({ schema }) {
      const { pattern } = schema;
      return typeof pattern === 'string' && !isPattern(pattern) ? ['pattern'] : undefined;
    },
  },
  {
    rule: 'numbers in `exclusiveMinimum` and `exclusiveMaximum`',
    source: CLI,
    date: DATE,
    findBreach({ schema }) {
      const found = ['exclusiveMinimum', 'exclusiveMaximum'].find(
        (keyword) => typeof schema[keyword] === 'boolean',
      );
      return found === undefined ? undefined : [found];
    },
  },
  {
    rule: 'property names of 1 to 64 letters, digits, underscores, dots and hyphens',
    source: API,
    date: DATE,
    findBreach({ schema, path }) {
      const properties = path.length === 0 ? schema['properties'] : undefined;
      if (!isRecord(properties)) return undefined;
      const name = Object.keys(properties).find((key) => !/^[\w.-]{1,64}$/.test(key));
      return name === undefined ? undefined : ['properties', name];
    },
  },
];

/** Returns the schema as the flag takes it: a root `$schema` that names another draft than the CLI's is refused, so none is sent. */
export function toClaudeCodeSchema(jsonSchema: unknown): unknown {
  if (!isRecord(jsonSchema)) return jsonSchema;
  const { $schema: _dialect, ...schema } = jsonSchema;
  return schema;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
