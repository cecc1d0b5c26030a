/**
 * Unexpressed parts: refinements and transforms of a schema library that its JSON Schema does not
 * contain. Pure.
 */
import { WorkBudget } from './work/work-budget.ts';
import type { SchemaLoss } from './dialects/lowering/lowering-port.ts';
import type { SchemaPath } from './dialects/analysis/schema-place.ts';
import {
  customRulesOf,
  isObject,
  listOf,
  MAX_DEPTH,
  MAX_PARTS,
  visitZodParts,
  zodDefinitionOf,
  type CustomRule,
  type ZodDefinition,
} from './zod-definition.ts';

const REFINEMENT = 'only the schema itself checks it, after the answer';
const TRANSFORM = 'the answer is the input of the transform';

const ZOD_REASONS = {
  refine: REFINEMENT,
  custom: REFINEMENT,
  overwrite: TRANSFORM,
  transform: TRANSFORM,
} as const satisfies Record<CustomRule, string>;

/** Maximum number of reported findings. A shared part is reported wherever it is used. */
const MAX_FOUND = 1_000;

/**
 * Finds refinements and transforms, by the path of the schema that contains them.
 *
 * Supports Zod, Valibot, ArkType and Effect. A JSON Schema has none, and other libraries cannot be
 * inspected.
 *
 * @throws SchemaError `too-much-work` for a schema of more than 100,000 parts
 * @example
 * ```ts
 * findUnexpressed(z.object({ a: z.string().refine((a) => a !== '') })); // refine, at properties/a
 * ```
 */
export function findUnexpressed(schema: unknown): readonly SchemaLoss[] {
  const work = new WorkBudget({
    maxWork: MAX_PARTS,
    work: 'Inspecting the schema',
    advice: 'Create its parts once, and reuse them.',
  });
  const arkType = isObject(schema) && typeof schema === 'function' ? schema['json'] : undefined;
  const effect = isObject(schema) ? schema['ast'] : undefined;
  const [root, look]: [unknown, Look] = isObject(effect)
    ? [effect, visitEffect]
    : isObject(arkType)
      ? [arkType, visitArkType]
      : [schema, visitByMarks];
  const parts = new Map<object, Part>();
  const part = isObject(root) ? readParts(root, look, parts, work) : undefined;
  if (part === undefined) return [];
  markFinding([...parts.values()]);
  const found: SchemaLoss[] = [];
  emit(part, [], { found, work, open: new Set(), told: new Set() }, MAX_DEPTH);
  return found;
}

/** One schema: its own findings, and the schemas in it. */
interface Part {
  readonly own: SchemaLoss[];
  readonly below: { readonly part: Part; readonly keys: SchemaPath }[];
  readonly above: Part[];
  /** True if this part or one below it has findings. */
  isTold: boolean;
}

/** Reads each schema once, breadth-first. */
function readParts(root: object, look: Look, parts: Map<object, Part>, work: WorkBudget): Part {
  const levels = new Map<object, number>([[root, 0]]);
  const partOf = (schema: object): Part => {
    const known = parts.get(schema);
    if (known !== undefined) return known;
    const part: Part = { own: [], below: [], above: [], isTold: false };
    parts.set(schema, part);
    return part;
  };
  for (const [schema, level] of levels) {
    work.spend(1);
    const part = partOf(schema);
    if (level >= MAX_DEPTH) continue;
    // An object that is not a schema of the library lacks these properties.
    look(schema as Parts, [], part.own, (inner, ...keys) => {
      if (!isObject(inner)) return;
      const below = partOf(inner);
      part.below.push({ part: below, keys });
      below.above.push(part);
      if (!levels.has(inner)) levels.set(inner, level + 1);
    });
  }
  return partOf(root);
}

/** Marks the parts with findings. The others are never entered again. */
function markFinding(parts: readonly Part[]): void {
  const open = parts.filter(({ own }) => own.length > 0);
  for (const part of open) {
    part.isTold = true;
    for (const above of part.above) {
      if (above.isTold) continue;
      above.isTold = true;
      open.push(above);
    }
  }
}

interface Telling {
  readonly work: WorkBudget;
  readonly found: SchemaLoss[];
  readonly open: Set<Part>;
  /** Parts of a cycle that were already reported at one place. */
  readonly told: Set<Part>;
}

/** Reports the findings at each place. Returns true if it met a cycle. */
function emit(part: Part, path: SchemaPath, telling: Telling, depth: number): boolean {
  const { found, open, told, work } = telling;
  work.spend(1);
  if (open.has(part)) return true;
  if (told.has(part) || !part.isTold || depth === 0 || found.length >= MAX_FOUND) return false;
  open.add(part);
  for (const { keyword, reason } of part.own) found.push({ path, keyword, reason });
  let isCircular = false;
  for (const { part: below, keys } of part.below) {
    isCircular = emit(below, [...path, ...keys], telling, depth - 1) || isCircular;
  }
  open.delete(part);
  if (isCircular) told.add(part);
  return isCircular;
}

type Below = (part: unknown, ...keys: (string | number)[]) => void;
type Look = (schema: Parts, path: SchemaPath, found: SchemaLoss[], below: Below) => void;
type Parts = Readonly<Record<string, unknown>>;

function visitByMarks(schema: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  const definition = zodDefinitionOf(schema);
  if (definition !== undefined) visitZod(definition, path, found, below);
  else if (schema['kind'] === 'schema') visitValibot(schema, path, found, below);
}

function visitZod(definition: ZodDefinition, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  for (const keyword of customRulesOf(definition)) {
    found.push({ path, keyword, reason: ZOD_REASONS[keyword] });
  }
  visitZodParts(definition, below);
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

/** ArkType's `json` names its functions, and omits them where it converts. */
function visitArkType(node: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  if (Array.isArray(node)) {
    node.forEach((branch: unknown, index) => below(branch, 'anyOf', index));
    return;
  }
  if (node['predicate'] !== undefined) found.push({ path, keyword: 'narrow', reason: REFINEMENT });
  if (node['morphs'] !== undefined) found.push({ path, keyword: 'morph', reason: TRANSFORM });
  for (const property of [...listOf(node['required']), ...listOf(node['optional'])]) {
    if (isObject(property)) below(property['value'], 'properties', String(property['key']));
  }
  for (const index of listOf(node['index'])) {
    if (isObject(index)) below(index['value'], 'additionalProperties');
  }
  listOf(node['branches']).forEach((branch, index) => below(branch, 'anyOf', index));
  below(node['sequence'], 'items');
  below(node['in']);
}

/** An Effect filter that JSON Schema can express includes the keyword itself. */
function visitEffect(ast: Parts, path: SchemaPath, found: SchemaLoss[], below: Below): void {
  if (listOf(ast['checks']).some((check) => !canConvert(check))) {
    found.push({ path, keyword: 'filter', reason: REFINEMENT });
  }
  if (ast['encoding'] !== undefined) found.push({ path, keyword: 'transform', reason: TRANSFORM });
  for (const property of listOf(ast['propertySignatures'])) {
    if (isObject(property)) below(property['type'], 'properties', String(property['name']));
  }
  for (const index of listOf(ast['indexSignatures'])) {
    if (isObject(index)) below(index['type'], 'additionalProperties');
  }
  listOf(ast['elements']).forEach((part, index) => below(part, 'prefixItems', index));
  for (const part of listOf(ast['rest'])) below(part, 'items');
  listOf(ast['types']).forEach((part, index) => below(part, 'anyOf', index));
}

function canConvert(check: unknown): boolean {
  const annotations = isObject(check) ? check['annotations'] : undefined;
  return isObject(annotations) && typeof annotations['toJsonSchema'] === 'function';
}
