/** Claude Code dialect: the JSON Schema subset of `claude --json-schema`. Pure. */
import type { DialectProfile } from './dialect-profile.ts';
import {
  closedObject,
  keywordValue,
  notAtRoot,
  onlyKeywords,
  rootIsObject,
  type RuleOrigin,
} from './rule-makers.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaRule } from '../analysis/schema-rule.ts';

const CLI: RuleOrigin = { source: 'Claude Code 2.1.329, tried', date: '2026-11-21' };
const API: RuleOrigin = {
  source: 'Anthropic Messages API, `tools[].input_schema`, which is JSON Schema 2020-12',
  date: '2026-11-21',
};

/** Keywords of draft-07, which the CLI's validator applies strictly, and `$defs`. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$schema $id $comment $ref $defs definitions type enum const title description default examples deprecated ' +
    'readOnly writeOnly nullable format pattern minLength maxLength contentEncoding contentMediaType contentSchema minimum maximum ' +
    'exclusiveMinimum exclusiveMaximum multipleOf items additionalItems minItems maxItems uniqueItems contains ' +
    'properties patternProperties additionalProperties propertyNames required minProperties maxProperties ' +
    'dependencies allOf anyOf oneOf not if then else'
  ).split(' '),
);

/** Valid names of a tool's own properties. */
export const PROPERTY_NAME: RegExp = /^[\w.-]{1,64}$/;

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Schemas that the CLI, or the tool that it creates from the schema, rejects. */
const RULES: readonly SchemaRule[] = [
  rootIsObject(API),
  notAtRoot(['oneOf', 'allOf', 'anyOf'], API),
  onlyKeywords(KEYWORDS, CLI),
  keywordValue(
    'references within the schema only (`#…`)',
    '$ref',
    {
      accepted: { ...closedObject({ a: { $ref: '#/$defs/a' } }), $defs: { a: {} } },
      rejected: closedObject({ a: { $ref: 'other.json' } }),
    },
    CLI,
    (reference) => typeof reference === 'string' && reference.startsWith('#'),
  ),
  keywordValue(
    'a `pattern` that is a regular expression with the `u` flag',
    'pattern',
    {
      accepted: closedObject({ a: { type: 'string', pattern: '^[a-z-]+$' } }),
      rejected: closedObject({ a: { type: 'string', pattern: '[' } }),
    },
    CLI,
    isPattern,
  ),
  keywordValue(
    'a number in `exclusiveMinimum`',
    'exclusiveMinimum',
    {
      accepted: closedObject({ a: { type: 'number', exclusiveMinimum: 1 } }),
      rejected: closedObject({ a: { type: 'number', minimum: 1, exclusiveMinimum: true } }),
    },
    CLI,
    (bound) => typeof bound === 'number',
  ),
  keywordValue(
    'a number in `exclusiveMaximum`',
    'exclusiveMaximum',
    {
      accepted: closedObject({ a: { type: 'number', exclusiveMaximum: 1 } }),
      rejected: closedObject({ a: { type: 'number', maximum: 1, exclusiveMaximum: true } }),
    },
    CLI,
    (bound) => typeof bound === 'number',
  ),
  keywordValue(
    'one schema in `items`, not an array',
    'items',
    {
      accepted: closedObject({ a: { type: 'array', items: {} } }),
      rejected: closedObject({ a: { type: 'array', items: [{}] } }),
    },
    API,
    (items) => !Array.isArray(items),
  ),
  {
    rule: 'property names of 1 to 64 letters, digits, underscores, dots and hyphens',
    ...API,
    accepted: closedObject({ 'a.b-c_1': {} }),
    rejected: closedObject({ 'a b': {} }),
    findBreach({ schema, path }) {
      const properties = path.length === 0 ? schema['properties'] : undefined;
      if (!isRecord(properties)) return undefined;
      const name = Object.keys(properties).find((key) => !PROPERTY_NAME.test(key));
      return name === undefined ? undefined : ['properties', name];
    },
  },
];

/** The schema mode of Claude Code: a tool whose input is checked by the CLI itself. */
export const CLAUDE_CODE_DIALECT: DialectProfile = {
  name: 'claude-code',
  rules: RULES,
  keywords: KEYWORDS,
  method: 'trimmed',
  optional: 'kept',
  maps: 'kept',
  tuples: 'items',
  recursion: 'kept',
  literals: new Set(['string', 'number', 'boolean', 'null']),
  emptyObjects: true,
  root: 'object',
  takes(keyword, value) {
    if (keyword.startsWith('exclusive')) return typeof value === 'number';
    return keyword !== 'pattern' || isPattern(value);
  },
};
