/** Schema rules: checks a schema against the rules of a schema mode, which are data. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject, SchemaPath } from './schema-place.ts';

/** One object in the schema that is itself a schema. */
export interface DialectNode {
  readonly schema: SchemaObject;
  readonly path: SchemaPath;
  /** Number of objects that enclose the described value. 0 at the top. */
  readonly depth: number;
}

/** A rule of a schema mode, checked on each node. */
export interface SchemaRule {
  /** Expectation, as the text after "Expected …". */
  readonly rule: string;
  readonly source: string;
  /** Date of the observation, as YYYY-MM-DD. */
  readonly date: string;
  /** Example of a schema that follows the rule. */
  readonly accepted: SchemaObject;
  /** Example of a schema that violates it. */
  readonly rejected: SchemaObject;
  /** Returns the path of the violation below the node, or undefined. */
  findBreach(node: DialectNode, nodes: readonly DialectNode[]): SchemaPath | undefined;
}

/** A violation of a rule by a schema. */
export interface SchemaBreach {
  readonly rule: SchemaRule;
  /** Path of the violating node. */
  readonly node: DialectNode;
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

/** Returns the first violation of a rule in the schema. */
export function findSchemaBreach(
  schema: SchemaObject,
  rules: readonly SchemaRule[],
  work?: WorkMeter,
): SchemaBreach | undefined {
  const nodes = collectNodes(schema, work);
  work?.spend(nodes.length * rules.length);
  for (const node of nodes) {
    for (const rule of rules) {
      const below = rule.findBreach(node, nodes);
      if (below !== undefined) return { rule, node, path: [...node.path, ...below] };
    }
  }
  return undefined;
}

/** Returns all nodes, the root first. A shared object appears once, so that a cycle ends. */
export function collectNodes(root: SchemaObject, work?: WorkMeter): readonly DialectNode[] {
  const nodes: DialectNode[] = [{ schema: root, path: [], depth: 0 }];
  const seen = new Set<unknown>([root]);
  for (const node of nodes) {
    work?.spend(6 + (node.path.length >> 2));
    for (const child of childrenOf(node)) {
      if (seen.has(child.schema)) continue;
      seen.add(child.schema);
      nodes.push(child);
    }
  }
  return nodes;
}

/** Returns the schemas directly inside a node. */
export function childrenOf({ schema, path, depth }: DialectNode): DialectNode[] {
  const children: DialectNode[] = [];
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
