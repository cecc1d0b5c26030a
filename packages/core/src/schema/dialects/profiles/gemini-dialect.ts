/** Gemini dialect: the JSON Schema subset of `responseJsonSchema` in the Gemini API. Pure. */
import type { DialectProfile } from './dialect-profile.ts';
import { bareReferences, closedObject, keywordValue, onlyKeywords, type RuleOrigin } from './rule-makers.ts';
import type { SchemaRule } from '../analysis/schema-rule.ts';

const SDK: RuleOrigin = {
  source: 'Google Gen AI SDK 1.52.0, `responseJsonSchema`',
  date: '2026-11-21',
};

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf ' +
    'properties additionalProperties required propertyOrdering'
  ).split(' '),
);

const RULES: readonly SchemaRule[] = [
  onlyKeywords(KEYWORDS, SDK),
  bareReferences(SDK),
  keywordValue(
    'strings and numbers in an `enum`',
    'enum',
    {
      accepted: closedObject({ a: { type: 'string', enum: ['x'] } }),
      rejected: closedObject({ a: { type: 'boolean', enum: [true] } }),
    },
    SDK,
    (values) =>
      Array.isArray(values) &&
      values.every((value) => typeof value === 'string' || typeof value === 'number'),
  ),
];

/** `responseJsonSchema`, the wider of Gemini's two schema fields. */
export const GEMINI_DIALECT: DialectProfile = {
  name: 'gemini',
  rules: RULES,
  keywords: KEYWORDS,
  method: 'rebuilt',
  optional: 'kept',
  maps: 'kept',
  tuples: 'prefixItems',
  recursion: 'optional-only',
  literals: new Set(['string', 'number']),
  emptyObjects: false,
  root: 'any',
};
