/** Rule factories: rules that several schema modes share, each created with its source. Pure. */
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import type { DialectNode, SchemaRule } from '../analysis/schema-rule.ts';

export interface RuleOrigin {
  readonly source: string;
  readonly date: string;
}

/** Returns the schema of an object with exactly these properties. */
export function closedObject(properties: SchemaObject): SchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const TEXT = { type: 'string' };

/** Rule: only the given keywords are allowed. */
export function onlyKeywords(keywords: ReadonlySet<string>, origin: RuleOrigin): SchemaRule {
  return {
    rule: 'only keywords that it supports',
    ...origin,
    accepted: closedObject({ a: TEXT }),
    rejected: closedObject({ a: { type: 'string', unknownKeyword: 1 } }),
    findBreach({ schema }) {
      const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword));
      return unknown === undefined ? undefined : [unknown];
    },
  };
}

/** Rule: the root's type is `object`. */
export function rootIsObject(origin: RuleOrigin): SchemaRule {
  return {
    rule: '`"type": "object"` at the root',
    ...origin,
    accepted: closedObject({ a: TEXT }),
    rejected: { type: 'array', items: TEXT },
    findBreach: ({ schema, path }) => (path.length === 0 && schema['type'] !== 'object' ? [] : undefined),
  };
}

/** Rule: the root has none of `keywords`. */
export function notAtRoot(keywords: readonly string[], origin: RuleOrigin): SchemaRule {
  return {
    rule: `no ${keywords.map((keyword) => `\`${keyword}\``).join(', ')} at the root`,
    ...origin,
    accepted: closedObject({ a: { anyOf: [TEXT, { type: 'null' }] } }),
    rejected: { ...closedObject({ a: TEXT }), [keywords[0] ?? 'anyOf']: [closedObject({ a: TEXT })] },
    findBreach({ schema, path }) {
      const found = path.length === 0 ? keywords.find((keyword) => keyword in schema) : undefined;
      return found === undefined ? undefined : [found];
    },
  };
}

/** Rule: each object allows only the properties that it names. */
export function closedObjects(origin: RuleOrigin): SchemaRule {
  return {
    rule: '`"additionalProperties": false` in every object',
    ...origin,
    accepted: closedObject({ a: TEXT }),
    rejected: { type: 'object', properties: { a: TEXT }, required: ['a'] },
    findBreach: (node) =>
      describesObject(node) && node.schema['additionalProperties'] !== false
        ? ['additionalProperties']
        : undefined,
  };
}

/** Rule: each schema declares the type of the values. */
export function typedSchemas(origin: RuleOrigin): SchemaRule {
  return {
    rule: 'a `type`, `anyOf`, `$ref`, `enum` or `const` in each schema',
    ...origin,
    accepted: closedObject({ a: TEXT }),
    rejected: closedObject({ a: { description: 'anything' } }),
    findBreach: ({ schema }) =>
      ['type', 'anyOf', 'allOf', '$ref', 'enum', 'const'].some((keyword) => keyword in schema)
        ? undefined
        : [],
  };
}

/** Rule: a `$ref` has no siblings, except `$defs` at the root and comments. */
export function bareReferences(origin: RuleOrigin): SchemaRule {
  return {
    rule: 'no other keyword next to a `$ref`',
    ...origin,
    accepted: { ...closedObject({ a: { $ref: '#/$defs/a' } }), $defs: { a: TEXT } },
    rejected: { ...closedObject({ a: { $ref: '#/$defs/a', description: 'x' } }), $defs: { a: TEXT } },
    findBreach({ schema }) {
      const beside =
        '$ref' in schema ? Object.keys(schema).find((keyword) => !keyword.startsWith('$')) : undefined;
      return beside === undefined ? undefined : [beside];
    },
  };
}

/** Rule: `format` is one of the listed values. */
export function onlyFormats(formats: ReadonlySet<string>, origin: RuleOrigin): SchemaRule {
  return {
    rule: `one of the formats ${[...formats].join(', ')}`,
    ...origin,
    accepted: closedObject({ a: { type: 'string', format: 'date-time' } }),
    rejected: closedObject({ a: { type: 'string', format: 'iri' } }),
    findBreach: ({ schema: { format } }) =>
      typeof format === 'string' && !formats.has(format) ? ['format'] : undefined,
  };
}

export function keywordValue(
  rule: string,
  keyword: string,
  examples: Pick<SchemaRule, 'accepted' | 'rejected'>,
  origin: RuleOrigin,
  isFine: (value: unknown, schema: SchemaObject) => boolean,
): SchemaRule {
  return {
    rule,
    ...origin,
    ...examples,
    findBreach: ({ schema }) =>
      keyword in schema && !isFine(schema[keyword], schema) ? [keyword] : undefined,
  };
}

/** Limit of the schema as a whole, reported at its root. */
export function wholeLimit(
  rule: string,
  max: number,
  exampleOf: (excess: 0 | 1) => SchemaObject,
  origin: RuleOrigin,
  measure: (nodes: readonly DialectNode[]) => number,
): SchemaRule {
  return {
    rule,
    ...origin,
    // A getter, because the example is large and only used when rules are checked.
    get accepted(): SchemaObject {
      return exampleOf(0);
    },
    get rejected(): SchemaObject {
      return exampleOf(1);
    },
    findBreach: ({ path }, nodes): SchemaPath | undefined =>
      path.length === 0 && measure(nodes) > max ? [] : undefined,
  };
}

export function describesObject({ schema }: DialectNode): boolean {
  const { type } = schema;
  return (
    type === 'object' || (Array.isArray(type) && type.includes('object')) || isRecord(schema['properties'])
  );
}

export function propertyNames({ schema }: DialectNode): readonly string[] {
  return isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}
