/**
 * Grammar dialect: what engines that decode under a grammar all keep, for a server of unknown make. The
 * engines are those of llama.cpp, vLLM and SGLang. What one of them refuses, drops or turns against right
 * answers is not sent. Pure.
 */
import type { DialectProfile } from './dialect-profile.ts';
import {
  bareReferences,
  closedObject,
  closedObjects,
  keywordValue,
  notAtRoot,
  onlyKeywords,
  propertyNames,
  rootIsObject,
  typedSchemas,
  type RuleOrigin,
} from './rule-makers.ts';
import type { SchemaRule } from '../analysis/schema-rule.ts';

const TRIED: RuleOrigin = {
  source:
    'llama-server 11434, llama-cpp-python 0.3.36, xgrammar 0.2.8, llguidance 1.9.1, outlines-core 0.2.14, tried',
  date: '2026-11-26',
};

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$ref $defs type title description enum const anyOf properties required additionalProperties items minItems maxItems ' +
    'pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
  ).split(' '),
);

/** llama.cpp refuses more repetitions, and older versions of it end. */
const MAX_COUNT = 2_000;
const COUNTS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);
const BOUNDS: ReadonlySet<string> = new Set('minimum maximum exclusiveMinimum exclusiveMaximum'.split(' '));

const CLASS = /\[(?:\\[xu]|[^\]\\])*\]/gu;

/** Without its classes, a pattern has no escape, and no group of another kind than `(…)`. */
function isReadable(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || !/^\^.*\$$/su.test(pattern)) return false;
  const outside = pattern.replaceAll(CLASS, '');
  return !outside.includes('\\') && !outside.includes('(?');
}

function countRule(keyword: string, schema: (count: number) => Record<string, unknown>): SchemaRule {
  return keywordValue(
    `\`${keyword}\` of at most ${MAX_COUNT}`,
    keyword,
    {
      accepted: closedObject({ a: schema(MAX_COUNT) }),
      rejected: closedObject({ a: schema(MAX_COUNT + 1) }),
    },
    TRIED,
    (count) => typeof count === 'number' && count <= MAX_COUNT,
  );
}

const RULES: readonly SchemaRule[] = [
  rootIsObject(TRIED),
  notAtRoot(['anyOf'], TRIED),
  onlyKeywords(KEYWORDS, TRIED),
  typedSchemas(TRIED),
  closedObjects(TRIED),
  bareReferences(TRIED),
  keywordValue(
    'a `$ref` to a definition',
    '$ref',
    {
      accepted: { ...closedObject({ a: { $ref: '#/$defs/a' } }), $defs: { a: { type: 'string' } } },
      rejected: closedObject({ a: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    },
    TRIED,
    (reference) => typeof reference === 'string' && reference.startsWith('#/$defs/'),
  ),
  keywordValue(
    'a `pattern` with both anchors, whose only escapes are in classes',
    'pattern',
    {
      accepted: closedObject({ a: { type: 'string', pattern: '^[a-z\\x2d]{3}[.][0-9]$' } }),
      rejected: closedObject({ a: { type: 'string', pattern: '\\d' } }),
    },
    TRIED,
    isReadable,
  ),
  {
    rule: 'property names without characters that JSON escapes',
    source: 'xgrammar 0.1.27, tried: such a name ends the compilation',
    date: '2026-11-26',
    accepted: closedObject({ 'a b': { type: 'string' } }),
    rejected: closedObject({ 'a"b': { type: 'string' } }),
    findBreach(node) {
      const escaped = propertyNames(node).find((name) => JSON.stringify(name) !== `"${name}"`);
      return escaped === undefined ? undefined : ['properties', escaped];
    },
  },
  countRule('maxLength', (maxLength) => ({ type: 'string', maxLength })),
  countRule('minLength', (minLength) => ({ type: 'string', minLength })),
  countRule('maxItems', (maxItems) => ({ type: 'array', items: { type: 'string' }, maxItems })),
  countRule('minItems', (minItems) => ({ type: 'array', items: { type: 'string' }, minItems })),
];

/** `response_format` of a server of unknown make. */
export const GRAMMAR_DIALECT: DialectProfile = {
  name: 'grammar',
  rules: RULES,
  keywords: KEYWORDS,
  hasPortableText: true,
  maxMultiples: 100,
  method: 'rebuilt',
  optional: 'required-nullable',
  maps: 'entries',
  tuples: 'object',
  recursion: 'kept',
  literals: new Set(['string', 'number', 'boolean', 'null']),
  emptyObjects: true,
  root: 'object',
  // No engine for local models has bounds of fractions but two. Of integers, one has none.
  isDoubtful: (keyword, { type }) =>
    keyword === 'multipleOf' || (BOUNDS.has(keyword) && [type].flat().includes('number')),
  takes: (keyword, value) => !COUNTS.has(keyword) || (typeof value === 'number' && value <= MAX_COUNT),
};

/** The same for tools of others, whose arguments must keep their form. */
export const GRAMMAR_TOOL_DIALECT: DialectProfile = {
  ...GRAMMAR_DIALECT,
  rules: [],
  method: 'trimmed',
  optional: 'kept',
  maps: 'kept',
  tuples: 'items',
  hasRootReferences: false,
};
