/**
 * Zod definitions: the schemas inside a Zod schema, and its rules that JSON Schema cannot express.
 * Pure.
 */

/** The definition of a Zod 4 schema or check. Its members depend on its type. */
export type ZodDefinition = Readonly<Record<string, unknown>>;

/** A rule in the caller's own code. */
export type CustomRule = 'refine' | 'custom' | 'overwrite' | 'transform';

/** Maximum depth of a search. Schemas can refer to themselves. */
export const MAX_DEPTH = 32;

/** A schema of this many parts is too large to inspect. */
export const MAX_PARTS = 100_000;

/**
 * Returns true if a Zod schema contains a custom rule, or is too large to inspect. Reads each schema
 * once, breadth-first.
 */
export function hasCustomRules(schema: object): boolean {
  const levels = new Map([[schema, 0]]);
  for (const [part, level] of levels) {
    if (levels.size >= MAX_PARTS) return true;
    const definition = level < MAX_DEPTH ? zodDefinitionOf(part) : undefined;
    if (definition === undefined) continue;
    if (customRulesOf(definition).length > 0) return true;
    visitZodParts(definition, (inner) => {
      if (isObject(inner) && !levels.has(inner)) levels.set(inner, level + 1);
    });
  }
  return false;
}

/** Returns undefined for a value that is not a Zod 4 schema or check. */
export function zodDefinitionOf(value: unknown): ZodDefinition | undefined {
  const inner = isObject(value) ? value['_zod'] : undefined;
  const definition = isObject(inner) ? inner['def'] : undefined;
  return isObject(definition) ? definition : undefined;
}

/** Returns the custom rules of one schema, without those of the schemas inside. */
export function customRulesOf({ type, checks, transform }: ZodDefinition): readonly CustomRule[] {
  const kinds = listOf(checks).map((check) => zodDefinitionOf(check)?.['check']);
  const rules: CustomRule[] = [];
  if (kinds.includes('custom')) rules.push('refine');
  if (kinds.includes('overwrite')) rules.push('overwrite');
  if (type === 'custom' || type === 'transform') rules.push(type);
  // A codec is a pipe with a function.
  if (type === 'pipe' && typeof transform === 'function') rules.push('transform');
  return rules;
}

/** Calls `below` with each schema directly inside, and its path in the JSON Schema. */
export function visitZodParts(
  definition: ZodDefinition,
  below: (part: unknown, ...keys: (string | number)[]) => void,
): void {
  const { shape, type, getter } = definition;
  if (isObject(shape)) for (const [name, part] of Object.entries(shape)) below(part, 'properties', name);
  below(definition['element'], 'items');
  below(definition['valueType'], 'additionalProperties');
  below(definition['keyType'], 'propertyNames');
  listOf(definition['items']).forEach((part, index) => below(part, 'prefixItems', index));
  listOf(definition['options']).forEach((part, index) => below(part, 'anyOf', index));
  below(definition['left'], 'allOf', 0);
  below(definition['right'], 'allOf', 1);
  for (const name of ['innerType', 'in', 'out', 'catchall']) below(definition[name]);
  if (type === 'lazy' && typeof getter === 'function') below(Reflect.apply(getter, undefined, []));
}

/** Returns the value if it is an array, and an empty one otherwise. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Returns true for objects and functions. ArkType schemas are functions. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
