/**
 * Valibot outline: a JSON Schema of the input that a Valibot schema accepts, as far as it decides
 * whether any JSON fits. Types that JSON lacks are named by `type`. Pure.
 */
import type { SchemaObject } from './dialects/analysis/schema-place.ts';
import { isObject, listOf } from './zod-definition.ts';
import { OPEN, strictestOf, type Outline } from './zod-outline.ts';

type Parts = Readonly<Record<string, unknown>>;

/** Returns the outline of one schema, up to its first transformation. */
export function outlineValibot(schema: Parts, outline: Outline): unknown {
  if ('fallback' in schema) return OPEN;
  const { pipe } = schema;
  if (!Array.isArray(pipe)) return outlinePart(schema, [], outline);
  const [first, ...rest] = pipe as readonly unknown[];
  if (!isObject(first) || first === schema) return OPEN;
  const changed = rest.findIndex((step) => !isObject(step) || step['kind'] === 'transformation');
  const steps = rest.slice(0, changed === -1 ? undefined : changed).filter(isObject);
  const further = steps.filter(({ kind }) => kind === 'schema');
  const whole = Array.isArray(first['pipe']) ? outline(first) : outlinePart(first, steps, outline);
  return further.length === 0 ? whole : { allOf: [whole, ...further.map(outline)] };
}

function outlinePart(schema: Parts, steps: readonly Parts[], outline: Outline): unknown {
  if ('fallback' in schema) return OPEN;
  const type = String(schema['type']);
  const { wrapped } = schema;
  if (LACKING.has(type)) return { type };
  if (WRAPPERS.has(type)) return outline(wrapped);
  if (/^(?:loose_|strict_)?object(?:_with_rest)?$/u.test(type)) return outlineEntries(schema, outline);
  if (/^(?:loose_|strict_)?tuple(?:_with_rest)?$/u.test(type)) {
    const items = listOf(schema['items']);
    return {
      type: 'array',
      prefixItems: items.map(outline),
      minItems: items.filter((item) => !isAbsentable(item)).length,
    };
  }
  switch (type) {
    case 'never':
      return false;
    case 'null':
    case 'boolean':
      return { type };
    case 'string':
      return { type, ...limits(steps, STRING_LIMITS) };
    case 'number':
      return {
        type: steps.some((step) => INTEGER.has(String(step['type']))) ? 'integer' : type,
        ...limits(steps, NUMBER_LIMITS),
      };
    case 'array':
      return { type, items: outline(schema['item']), ...limits(steps, ARRAY_LIMITS) };
    case 'record':
      return { type: 'object' };
    case 'picklist':
    case 'enum':
      return { enum: listOf(schema['options']) };
    case 'literal':
      return ['string', 'number', 'boolean'].includes(typeof schema['literal'])
        ? { const: schema['literal'] }
        : { type: typeof schema['literal'] };
    case 'union':
    case 'variant':
      return { anyOf: listOf(schema['options']).map(outline) };
    case 'intersect':
      return { allOf: listOf(schema['options']).map(outline) };
    case 'nullable':
    case 'nullish':
      return { anyOf: [outline(wrapped), { type: 'null' }] };
    default:
      return OPEN;
  }
}

/** Types that JSON lacks. */
const LACKING: ReadonlySet<string> = new Set(
  'bigint date symbol undefined void nan map set function file blob promise'.split(' '),
);

/** Wrappers whose value, where there is one, fits the wrapped schema. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'optional exact_optional undefinedable non_nullable non_nullish non_optional'.split(' '),
);

const INTEGER: ReadonlySet<string> = new Set(['integer', 'safe_integer']);
const STRING_LIMITS = limitsOf('Length');
const ARRAY_LIMITS = limitsOf('Items');
const NUMBER_LIMITS: Limits = {
  min_value: ['minimum'],
  max_value: ['maximum'],
  gt_value: ['exclusiveMinimum'],
  lt_value: ['exclusiveMaximum'],
  multiple_of: ['multipleOf'],
};

type Limits = Readonly<Record<string, readonly string[]>>;

function limitsOf(of: 'Length' | 'Items'): Limits {
  return { min_length: [`min${of}`], max_length: [`max${of}`], length: [`min${of}`, `max${of}`] };
}

function limits(steps: readonly Parts[], known: Limits): SchemaObject {
  return strictestOf(
    steps.flatMap(({ type, requirement }) =>
      (known[String(type)] ?? []).map((keyword) => [keyword, requirement] as const),
    ),
  );
}

function outlineEntries({ entries }: Parts, outline: Outline): SchemaObject {
  const members = isObject(entries) ? Object.entries(entries) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, part]) => [name, outline(part)])),
    required: members.filter(([, part]) => !isAbsentable(part)).map(([name]) => name),
  };
}

function isAbsentable(part: unknown): boolean {
  if (!isObject(part) || 'fallback' in part) return true;
  return ['optional', 'exact_optional', 'nullish'].includes(String(part['type']));
}
