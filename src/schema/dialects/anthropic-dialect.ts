/** Owns what the structured outputs of Anthropic's Messages API take. Pure. */
import type { DialectProfile } from './dialect-profile.ts';
import {
  bareReferences,
  closedObject,
  closedObjects,
  keywordValue,
  notAtRoot,
  onlyFormats,
  onlyKeywords,
  rootIsObject,
  typedSchemas,
  type RuleOrigin,
} from './rule-makers.ts';
import { collectNodes, type SchemaRule } from './schema-rule.ts';
import { isRecord, type SchemaObject } from './schema-place.ts';

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

/** The definitions that each definition refers to. */
function referredBy(definition: unknown): readonly string[] {
  if (!isRecord(definition)) return [];
  return collectNodes(definition)
    .map(({ schema }) => schema['$ref'])
    .filter((reference) => typeof reference === 'string');
}

function findCircle(root: SchemaObject): string | undefined {
  const definitions = isRecord(root['$defs']) ? root['$defs'] : {};
  const reaches = (from: string, to: string, seen: Set<string>): boolean => {
    if (seen.has(from)) return false;
    seen.add(from);
    return referredBy(definitions[from])
      .map((reference) => reference.replace(/^#\/\$defs\//u, ''))
      .some((name) => name === to || reaches(name, to, seen));
  };
  return Object.keys(definitions).find((name) => reaches(name, name, new Set()));
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
    rule: 'no definition that contains itself',
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
  takes: (keyword, value) => keyword !== 'minItems' || value === 0 || value === 1,
};
