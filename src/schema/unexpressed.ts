/** Owns finding what a schema library asks for and its JSON Schema does not say: refinements, transforms. Pure. */
import type { SchemaLoss } from './dialects/lowering-port.ts';
import type { SchemaPath } from './dialects/schema-place.ts';

const REFINEMENT = 'only the schema itself judges it, after the answer';
const TRANSFORM = 'the answer is what it starts from';

/** Schemas may refer to themselves; those inside are looked at this deep. */
const MAX_DEPTH = 32;

/** More are not told: a part that is shared is told at each of its places. */
const MAX_FOUND = 1_000;

/**
 * Finds refinements and transforms, by the place of the schema they stand in.
 *
 * Zod, Valibot, ArkType and Effect are looked into; a JSON Schema has none, and of other libraries nothing is known.
 *
 * @example
 * ```ts
 * findUnexpressed(z.object({ a: z.string().refine((a) => a !== '') })); // refine, at properties/a
 * ```
 */
export function findUnexpressed(schema: unknown): readonly SchemaLoss[] {
  const found: SchemaLoss[] = [];
  const open = new Set<unknown>();
  const arkType = isObject(schema) && typeof schema === 'function' ? schema['json'] : undefined;
  const effect = isObject(schema) ? schema['ast'] : undefined;
  if (isObject(effect)) visit(effect, [], found, open, MAX_DEPTH, visitEffect);
  else if (isObject(arkType)) visit(arkType, [], found, open, MAX_DEPTH, visitArkType);
  else visit(schema, [], found, open, MAX_DEPTH, visitByMarks);
  return found;
}

function visit(
  schema: unknown,
  path: SchemaPath,
  found: SchemaLoss[],
  open: Set<unknown>,
  depth: number,
  look: Look,
): void {
  if (!isObject(schema) || open.has(schema) || depth === 0 || found.length >= MAX_FOUND) return;
  open.add(schema);
  const below = (part: unknown, ...keys: (string | number)[]): void =>
    visit(part, [...path, ...keys], found, open, depth - 1, look);
  look(schema, path, found, below);
  open.delete(schema);
}

type Below = (part: unknown, ...keys: (string | number)[]) => void;
type Look = (schema: Parts, path: SchemaPath, found: SchemaLoss[], below: Below) => void;
type Parts = Readonly<Record<string, unknown>>;

function visitByMarks(schema: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  const definition = schema['_zod'];
  const def = isObject(definition) ? definition['def'] : undefined;
  if (isObject(def)) visitZod(def, path, found, below);
  else if (schema['kind'] === 'schema') visitValibot(schema, path, found, below);
}

function visitZod(def: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
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

function visitValibot(schema: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
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

/** ArkType's `json` names its functions, and leaves them out where it converts. */
function visitArkType(node: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  if (Array.isArray(node)) {
    node.forEach((branch: unknown, index) => below(branch, 'anyOf', index));
    return;
  }
  if (node['predicate'] !== undefined) found.push({ path, keyword: 'narrow', reason: REFINEMENT });
  if (node['morphs'] !== undefined) found.push({ path, keyword: 'morph', reason: TRANSFORM });
  for (const property of [...listOf(node['required']), ...listOf(node['optional'])])
    if (isObject(property)) below(property['value'], 'properties', String(property['key']));
  for (const index of listOf(node['index']))
    if (isObject(index)) below(index['value'], 'additionalProperties');
  listOf(node['branches']).forEach((branch, index) => below(branch, 'anyOf', index));
  below(node['sequence'], 'items');
  below(node['in']);
}

/** A filter of Effect's that JSON Schema can say brings the keyword itself. */
function visitEffect(ast: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  if (listOf(ast['checks']).some((check) => !canConvert(check)))
    found.push({ path, keyword: 'filter', reason: REFINEMENT });
  if (ast['encoding'] !== undefined) found.push({ path, keyword: 'transform', reason: TRANSFORM });
  for (const property of listOf(ast['propertySignatures']))
    if (isObject(property)) below(property['type'], 'properties', String(property['name']));
  for (const index of listOf(ast['indexSignatures']))
    if (isObject(index)) below(index['type'], 'additionalProperties');
  listOf(ast['elements']).forEach((part, index) => below(part, 'prefixItems', index));
  for (const part of listOf(ast['rest'])) below(part, 'items');
  listOf(ast['types']).forEach((part, index) => below(part, 'anyOf', index));
}

function canConvert(check: unknown): boolean {
  const annotations = isObject(check) ? check['annotations'] : undefined;
  return isObject(annotations) && typeof annotations['toJsonSchema'] === 'function';
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
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
