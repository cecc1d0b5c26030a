/**
 * Zod outline: a JSON Schema of the input that a Zod schema accepts, as far as it decides whether any
 * JSON fits. Types that JSON lacks are named by `type`. What the schema's own code decides is left
 * open. Pure.
 */
import type { SchemaObject } from './dialects/analysis/schema-place.ts';
import { customRulesOf, isObject, listOf, zodDefinitionOf, type ZodDefinition } from './zod-definition.ts';

/** Any value: a part that this outline does not decide. */
export const OPEN: SchemaObject = {};

/** Returns the outline of the schemas inside. */
export type Outline = (part: unknown) => unknown;

export function outlineZod(definition: ZodDefinition, outline: Outline): unknown {
  const { type, coerce } = definition;
  const rules = customRulesOf(definition);
  // They accept other values than the schema shows, or change the value before the next rule.
  if (coerce === true || rules.some((rule) => rule !== 'refine')) return OPEN;
  const whole = OUTLINES[String(type)];
  return whole === undefined ? OPEN : whole(definition, outline);
}

const lacking = ({ type }: ZodDefinition): SchemaObject => ({ type });
const inner = ({ innerType }: ZodDefinition, outline: Outline): unknown => outline(innerType);

const OUTLINES: Readonly<Record<string, (definition: ZodDefinition, outline: Outline) => unknown>> = {
  ...Object.fromEntries(
    ['date', 'bigint', 'map', 'set', 'symbol', 'undefined', 'void', 'nan', 'function', 'file'].map((type) => [
      type,
      lacking,
    ]),
  ),
  never: () => false,
  null: () => ({ type: 'null' }),
  boolean: () => ({ type: 'boolean' }),
  template_literal: () => ({ type: 'string' }),
  string: (definition) => ({ type: 'string', ...lengths(definition, 'Length') }),
  number: (definition) => ({ type: isWhole(definition) ? 'integer' : 'number', ...bounds(definition) }),
  array: (definition, outline) => ({
    type: 'array',
    items: outline(definition['element']),
    ...lengths(definition, 'Items'),
  }),
  object: outlineObject,
  record: outlineRecord,
  tuple: outlineTuple,
  union: ({ options }, outline) => ({ anyOf: listOf(options).map(outline) }),
  intersection: ({ left, right }, outline) => ({ allOf: [outline(left), outline(right)] }),
  enum: ({ entries }) => (isObject(entries) ? listed(Object.values(entries)) : OPEN),
  literal: ({ values }) => listed(listOf(values)),
  nullable: (definition, outline) => ({ anyOf: [inner(definition, outline), { type: 'null' }] }),
  // The value is absent, or fits the inner schema: JSON has no `undefined`.
  optional: inner,
  default: inner,
  prefault: inner,
  nonoptional: inner,
  readonly: inner,
  promise: inner,
  lazy: ({ getter }, outline) =>
    typeof getter === 'function' ? outline(Reflect.apply(getter, undefined, [])) : OPEN,
  pipe: (definition, outline) => outline(definition['in']),
};

function checksOf(definition: ZodDefinition): readonly ZodDefinition[] {
  const checks = listOf(definition['checks']).map((check) => zodDefinitionOf(check));
  return [definition, ...checks.filter((check) => check !== undefined)];
}

const LENGTHS: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  min_length: ['minimum', ['min']],
  max_length: ['maximum', ['max']],
  length_equals: ['length', ['min', 'max']],
};

function lengths(definition: ZodDefinition, of: 'Length' | 'Items'): SchemaObject {
  return strictestOf(
    checksOf(definition).flatMap((check) => {
      const [member, ends] = LENGTHS[String(check['check'])] ?? ['', []];
      return ends.map((end): [string, unknown] => [`${end}${of}`, check[member]]);
    }),
  );
}

function isWhole(definition: ZodDefinition): boolean {
  return checksOf(definition).some(
    ({ check, format }) => check === 'number_format' && !String(format).startsWith('float'),
  );
}

function bounds(definition: ZodDefinition): SchemaObject {
  return strictestOf(
    checksOf(definition).flatMap(({ check, value, inclusive }): [string, unknown][] => {
      if (check === 'greater_than') return [[inclusive === true ? 'minimum' : 'exclusiveMinimum', value]];
      if (check === 'less_than') return [[inclusive === true ? 'maximum' : 'exclusiveMaximum', value]];
      return check === 'multiple_of' ? [['multipleOf', value]] : [];
    }),
  );
}

/** Keeps the strictest of several rules of one name. */
export function strictestOf(rules: readonly (readonly [string, unknown])[]): SchemaObject {
  const strictest: Record<string, number> = {};
  for (const [keyword, value] of rules) {
    if (typeof value !== 'number') continue;
    const known = strictest[keyword];
    const pick = /^(?:min|exclusiveMin)/u.test(keyword) ? Math.max : Math.min;
    strictest[keyword] = known === undefined ? value : pick(known, value);
  }
  return strictest;
}

/** Values that JSON has. Of the others, no answer can be one. */
function listed(values: readonly unknown[]): unknown {
  return {
    enum: values.filter(
      (value) => value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value),
    ),
  };
}

/** Zod marks each schema that can be absent. */
function isAbsentable(schema: unknown): boolean {
  const internals = isObject(schema) ? schema['_zod'] : undefined;
  return !isObject(internals) || internals['optin'] !== undefined;
}

function outlineObject({ shape }: ZodDefinition, outline: Outline): SchemaObject {
  const members = isObject(shape) ? Object.entries(shape) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, part]) => [name, outline(part)])),
    required: members.filter(([, part]) => !isAbsentable(part)).map(([name]) => name),
  };
}

/** A record of listed keys requires each of them. */
function outlineRecord({ keyType, valueType, mode, partial }: ZodDefinition, outline: Outline): SchemaObject {
  const internals = isObject(keyType) ? keyType['_zod'] : undefined;
  const values = isObject(internals) ? internals['values'] : undefined;
  const isExhaustive = mode === undefined && partial !== true;
  const keys = values instanceof Set && isExhaustive && !isAbsentable(valueType) ? [...values] : [];
  return { type: 'object', additionalProperties: outline(valueType), required: keys.map(String) };
}

function outlineTuple({ items }: ZodDefinition, outline: Outline): SchemaObject {
  const parts = listOf(items);
  return {
    type: 'array',
    prefixItems: parts.map(outline),
    minItems: parts.findLastIndex((part) => !isAbsentable(part)) + 1,
  };
}
