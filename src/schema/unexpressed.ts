/** Owns finding what a schema library asks for and its JSON Schema does not say: refinements, transforms. Pure. */
import type { SchemaLoss } from './dialects/lowering-port.ts';
import type { SchemaPath } from './dialects/schema-place.ts';

const REFINEMENT = 'only the schema itself judges it, after the answer';
const TRANSFORM = 'the answer is what it starts from';

/** Schemas may refer to themselves; those inside are looked at this deep. */
const MAX_DEPTH = 32;

/**
 * Finds refinements and transforms, by the place of the schema they stand in.
 *
 * Zod and Valibot are looked into; the converters of ArkType and Effect refuse what they cannot express, and a JSON Schema has none.
 */
export function findUnexpressed(schema: unknown): readonly SchemaLoss[] {
  const found: SchemaLoss[] = [];
  visit(schema, [], found, new Set(), MAX_DEPTH);
  return found;
}

function visit(
  schema: unknown,
  path: SchemaPath,
  found: SchemaLoss[],
  seen: Set<unknown>,
  depth: number,
): void {
  if (!isObject(schema) || seen.has(schema) || depth === 0) return;
  seen.add(schema);
  const below = (part: unknown, ...keys: (string | number)[]): void =>
    visit(part, [...path, ...keys], found, seen, depth - 1);
  const definition = schema['_zod'];
  const def = isObject(definition) ? definition['def'] : undefined;
  if (isObject(def)) visitZod(def, path, found, below);
  else if (schema['kind'] === 'schema') visitValibot(schema, path, found, below);
}

type Below = (part: unknown, ...keys: (string | number)[]) => void;

function visitZod(
  def: Readonly<Record<string, unknown>>,
  path: SchemaPath,
  found: SchemaLoss[],
  below: Below,
): void {
  const checks = listOf(def['checks']).map((check) => defOf(check)?.['check']);
  if (checks.includes('custom')) found.push({ path, keyword: 'refine', reason: REFINEMENT });
  if (checks.includes('overwrite')) found.push({ path, keyword: 'overwrite', reason: TRANSFORM });
  if (def['type'] === 'custom') found.push({ path, keyword: 'custom', reason: REFINEMENT });
  if (def['type'] === 'transform') found.push({ path, keyword: 'transform', reason: TRANSFORM });
  const { shape } = def;
  if (isObject(shape)) for (const [name, part] of Object.entries(shape)) below(part, 'properties', name);
  below(def['element'], 'items');
  below(def['valueType'], 'additionalProperties');
  below(def['keyType'], 'propertyNames');
  listOf(def['items']).forEach((part, index) => below(part, 'prefixItems', index));
  listOf(def['options']).forEach((part, index) => below(part, 'anyOf', index));
  below(def['left'], 'allOf', 0);
  below(def['right'], 'allOf', 1);
  for (const name of ['innerType', 'in', 'out', 'catchall']) below(def[name]);
  if (def['type'] === 'lazy' && typeof def['getter'] === 'function')
    below(Reflect.apply(def['getter'], undefined, []));
}

function visitValibot(
  schema: Readonly<Record<string, unknown>>,
  path: SchemaPath,
  found: SchemaLoss[],
  below: Below,
): void {
  for (const action of listOf(schema['pipe'])) {
    if (!isObject(action) || action === schema) continue;
    const keyword = String(action['type']);
    if (/^(?:partial_?|raw_?)?check/u.test(keyword)) found.push({ path, keyword, reason: REFINEMENT });
    if (action['kind'] === 'transformation') found.push({ path, keyword, reason: TRANSFORM });
  }
  const { entries } = schema;
  if (isObject(entries)) for (const [name, part] of Object.entries(entries)) below(part, 'properties', name);
  below(schema['item'], 'items');
  below(schema['value'], 'additionalProperties');
  below(schema['wrapped']);
  listOf(schema['options']).forEach((part, index) => below(part, 'anyOf', index));
  listOf(schema['items']).forEach((part, index) => below(part, 'prefixItems', index));
}

function defOf(check: unknown): Readonly<Record<string, unknown>> | undefined {
  const inner = isObject(check) ? check['_zod'] : undefined;
  const def = isObject(inner) ? inner['def'] : undefined;
  return isObject(def) ? def : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
