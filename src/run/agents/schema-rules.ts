/** Owns checking a JSON Schema against what an agent's schema mode takes, before a run costs anything. The rules are data. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import { describeValue } from '../../errors/describe-value.ts';

/** Property names and array indexes from the schema's root. */
export type SchemaPath = readonly (string | number)[];

/** One object in the schema that is itself a schema. */
export interface SchemaNode {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: SchemaPath;
  /** Objects around it in the value that it describes. */
  readonly depth: number;
}

/** What a schema mode takes; checked on each node. */
export interface SchemaRule {
  /** Says what is expected, to follow "Expected …". */
  readonly rule: string;
  /** Where the rule is from. */
  readonly source: string;
  /** When it was seen or read, as YYYY-MM-DD. */
  readonly date: string;
  /** Returns where below the node the rule is broken, or undefined. */
  findBreach(node: SchemaNode, nodes: readonly SchemaNode[]): SchemaPath | undefined;
}

const MAP_KEYWORDS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const SCHEMA_KEYWORDS = [
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
/** Keywords whose schemas describe a value inside one more object. */
const NESTING_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
]);

/**
 * Checks each part of a schema against each rule.
 *
 * @throws UsageError `unsupported`, naming the first path that breaks a rule, the rule and its source
 */
export function assertSchemaRules(
  agentName: string,
  jsonSchema: unknown,
  rules: readonly SchemaRule[],
): void {
  if (!isRecord(jsonSchema)) {
    throw new UsageError(`Expected a JSON Schema that is an object, got ${describeValue(jsonSchema)}.`, {
      code: 'unsupported',
    });
  }
  const nodes = collectNodes(jsonSchema);
  for (const node of nodes) {
    for (const rule of rules) {
      const breach = rule.findBreach(node, nodes);
      if (breach !== undefined) throw breachError(agentName, [...node.path, ...breach], rule);
    }
  }
}

function breachError(agentName: string, path: SchemaPath, { rule, source, date }: SchemaRule): UsageError {
  const pointer = path.length === 0 ? 'the root' : `\`/${path.map(escapePointer).join('/')}\``;
  return new UsageError(
    `The schema mode of \`${agentName}\` does not take this schema: expected ${rule}, at ${pointer} (${source}, ${date}). Change the schema, or give the output a \`tag\`.`,
    { code: 'unsupported' },
  );
}

function escapePointer(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** All nodes, the root first; a shared object once, so that a cycle ends. */
function collectNodes(root: Readonly<Record<string, unknown>>): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [{ schema: root, path: [], depth: 0 }];
  const seen = new Set<unknown>([root]);
  for (const node of nodes) {
    for (const child of childrenOf(node)) {
      if (seen.has(child.schema)) continue;
      seen.add(child.schema);
      nodes.push(child);
    }
  }
  return nodes;
}

function childrenOf({ schema, path, depth }: SchemaNode): SchemaNode[] {
  const children: SchemaNode[] = [];
  const add = (value: unknown, ...below: readonly [string, ...(string | number)[]]): void => {
    if (!isRecord(value)) return;
    children.push({
      schema: value,
      path: [...path, ...below],
      depth: depth + (NESTING_KEYWORDS.has(below[0]) ? 1 : 0),
    });
  };
  for (const keyword of MAP_KEYWORDS) {
    const map = schema[keyword];
    if (isRecord(map)) for (const [key, value] of Object.entries(map)) add(value, keyword, key);
  }
  for (const keyword of LIST_KEYWORDS) {
    const list = schema[keyword];
    if (Array.isArray(list)) list.forEach((value, index) => add(value, keyword, index));
  }
  for (const keyword of SCHEMA_KEYWORDS) add(schema[keyword], keyword);
  return children;
}

/** Tells whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A rule that takes no keyword but the given ones. */
export function onlyKeywords(keywords: ReadonlySet<string>, source: string, date: string): SchemaRule {
  return {
    rule: 'no other keywords than it knows',
    source,
    date,
    findBreach({ schema }) {
      const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword));
      return unknown === undefined ? undefined : [unknown];
    },
  };
}

/** A rule that the root's type is `object`. */
export function rootIsObject(source: string, date: string): SchemaRule {
  return {
    rule: '`"type": "object"` at the root',
    source,
    date,
    findBreach: ({ schema, path }) => (path.length === 0 && schema['type'] !== 'object' ? [] : undefined),
  };
}

/** A rule that none of `keywords` stands at the root. */
export function notAtRoot(keywords: readonly string[], source: string, date: string): SchemaRule {
  return {
    rule: `none of ${keywords.map((keyword) => `\`${keyword}\``).join(', ')} at the root`,
    source,
    date,
    findBreach({ schema, path }) {
      const found = path.length === 0 ? keywords.find((keyword) => keyword in schema) : undefined;
      return found === undefined ? undefined : [found];
    },
  };
}
