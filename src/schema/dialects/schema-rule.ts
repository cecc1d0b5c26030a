/** Owns what a rule of a schema mode is, and checking a schema against rules. The rules themselves are data. Pure. */
import { isRecord, type SchemaObject, type SchemaPath } from './schema-place.ts';

/** One object in the schema that is itself a schema. */
export interface SchemaNode {
  readonly schema: SchemaObject;
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
  /** A schema that keeps the rule. */
  readonly accepted: SchemaObject;
  /** A schema that breaks it. */
  readonly rejected: SchemaObject;
  /** Returns where below the node the rule is broken, or undefined. */
  findBreach(node: SchemaNode, nodes: readonly SchemaNode[]): SchemaPath | undefined;
}

/** A place where a schema breaks a rule. */
export interface SchemaBreach {
  readonly rule: SchemaRule;
  /** Path of the node that breaks it. */
  readonly node: SchemaNode;
  readonly path: SchemaPath;
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

/** Returns the first rule that a part of the schema breaks. */
export function findSchemaBreach(
  schema: SchemaObject,
  rules: readonly SchemaRule[],
): SchemaBreach | undefined {
  const nodes = collectNodes(schema);
  for (const node of nodes) {
    for (const rule of rules) {
      const below = rule.findBreach(node, nodes);
      if (below !== undefined) return { rule, node, path: [...node.path, ...below] };
    }
  }
  return undefined;
}

/** All nodes, the root first; a shared object once, so that a cycle ends. */
export function collectNodes(root: SchemaObject): readonly SchemaNode[] {
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
