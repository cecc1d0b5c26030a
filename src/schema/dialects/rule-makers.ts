/** Owns the rules that several schema modes share, made with each one's source. Pure. */
import { isRecord, type SchemaObject, type SchemaPath } from './schema-place.ts';
import type { SchemaNode, SchemaRule } from './schema-rule.ts';

/** Where a rule is from. */
export interface RuleOrigin {
  readonly source: string;
  readonly date: string;
}

/** An object that has exactly these properties. */
export function closedObject(properties: SchemaObject): SchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const TEXT = { type: 'string' };

/** A rule that takes no keyword but the given ones. */
export function onlyKeywords(keywords: ReadonlySet<string>, origin: RuleOrigin): SchemaRule {
  return {
    rule: 'no other keywords than it knows',
    ...origin,
    accepted: closedObject({ a: TEXT }),
    rejected: closedObject({ a: { type: 'string', unknownKeyword: 1 } }),
    findBreach({ schema }) {
      const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword));
      return unknown === undefined ? undefined : [unknown];
    },
  };
}

/** A rule that the root's type is `object`. */
export function rootIsObject(origin: RuleOrigin): SchemaRule {
  return {
    rule: '`"type": "object"` at the root',
    ...origin,
    accepted: closedObject({ a: TEXT }),
    rejected: { type: 'array', items: TEXT },
    findBreach: ({ schema, path }) => (path.length === 0 && schema['type'] !== 'object' ? [] : undefined),
  };
}

/** A rule that none of `keywords` stands at the root. */
export function notAtRoot(keywords: readonly string[], origin: RuleOrigin): SchemaRule {
  return {
    rule: `none of ${keywords.map((keyword) => `\`${keyword}\``).join(', ')} at the root`,
    ...origin,
    accepted: closedObject({ a: { anyOf: [TEXT, { type: 'null' }] } }),
    rejected: { ...closedObject({ a: TEXT }), [keywords[0] ?? 'anyOf']: [closedObject({ a: TEXT })] },
    findBreach({ schema, path }) {
      const found = path.length === 0 ? keywords.find((keyword) => keyword in schema) : undefined;
      return found === undefined ? undefined : [found];
    },
  };
}

/** A rule that each object takes no property but those it names. */
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

/** A rule that each schema says of which type its values are. */
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

/** A rule that nothing stands beside a `$ref`, but `$defs` at the root and comments. */
export function bareReferences(origin: RuleOrigin): SchemaRule {
  return {
    rule: 'nothing beside a `$ref`',
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

/** A rule that `format` is one of those listed. */
export function onlyFormats(formats: ReadonlySet<string>, origin: RuleOrigin): SchemaRule {
  return {
    rule: `a \`format\` out of ${[...formats].join(', ')}`,
    ...origin,
    accepted: closedObject({ a: { type: 'string', format: 'date-time' } }),
    rejected: closedObject({ a: { type: 'string', format: 'iri' } }),
    findBreach: ({ schema: { format } }) =>
      typeof format === 'string' && !formats.has(format) ? ['format'] : undefined,
  };
}

/** A rule of one keyword's value. */
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

/** A bound on the schema as a whole, told at its root. */
export function wholeLimit(
  rule: string,
  max: number,
  exampleOf: (excess: 0 | 1) => SchemaObject,
  origin: RuleOrigin,
  measure: (nodes: readonly SchemaNode[]) => number,
): SchemaRule {
  return {
    rule,
    ...origin,
    // Large, and only looked at by whoever checks the rules.
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

/** Tells whether the node describes objects. */
export function describesObject({ schema }: SchemaNode): boolean {
  const { type } = schema;
  return (
    type === 'object' || (Array.isArray(type) && type.includes('object')) || isRecord(schema['properties'])
  );
}

/** Names of the node's properties. */
export function propertyNames({ schema }: SchemaNode): readonly string[] {
  return isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}
