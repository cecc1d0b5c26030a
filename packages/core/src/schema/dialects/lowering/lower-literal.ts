/**
 * Literal lowering: `const` and `enum` are never lost. A value that a provider cannot express is
 * fixed as its JSON text. Also the few values of a bounded number that is a multiple of another. Pure.
 */
import type { LiteralKind } from '../profiles/dialect-profile.ts';
import { jsonTextOf, type Lowered, type LoweringPort } from './lowering-port.ts';
import { keepKeywords } from './keep-keywords.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import { isMultipleOf } from '../../engine/evaluation/multiple-of.ts';

/**
 * Lowers a schema with `const` or `enum`. Its other keywords have already restricted the values.
 */
export function lowerLiteral(
  schema: SchemaObject,
  values: readonly unknown[],
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const { profile } = port;
  const annotations = keepKeywords(schema, [], path, port);
  port.work.spend(values.length * 2, path);
  if (values.every((value) => value === null)) {
    return { schema: { type: 'null', ...annotations }, inverse: undefined };
  }
  const kinds = new Set(values.map(kindOf));
  if (kinds.has(undefined) || [...kinds].some((kind) => kind !== undefined && !profile.literals.has(kind))) {
    port.change(path, 'const' in schema ? 'const' : 'enum', 'each value as its JSON text');
    return jsonTextOf(values, annotations, port.work);
  }
  const types = [...new Set(values.map(typeOf))];
  const type = types.length === 1 ? types[0] : types;
  const isConst = 'const' in schema && profile.keywords.has('const');
  return {
    schema: { type, ...annotations, ...(isConst ? { const: values[0] } : { enum: values }) },
    inverse: undefined,
  };
}

function kindOf(value: unknown): LiteralKind | undefined {
  if (value === null) return 'null';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? (typeof value as LiteralKind)
    : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'number', 'null']);

/** Returns the values, if they are few enough for an enumeration and the schema says no more. */
export function multiplesOf(
  schema: SchemaObject,
  types: readonly string[],
  { profile: { maxMultiples = 0 }, fit, work }: LoweringPort,
): readonly unknown[] | undefined {
  const { multipleOf: step } = schema;
  if (typeof step !== 'number' || step <= 0 || !types.every((type) => NUMBERS.has(type))) return undefined;
  // Binary division can miss a bound. What is beyond one is removed below.
  const first = Math.ceil(boundIn(schema, 'minimum', 'exclusiveMinimum', Math.max) / step - SLACK);
  const last = Math.floor(boundIn(schema, 'maximum', 'exclusiveMaximum', Math.min) / step + SLACK);
  if (!(last - first < maxMultiples)) return undefined;
  work.spend(4 * maxMultiples);
  const values = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    multiple(first + index, step, work),
  );
  if (values.includes(undefined)) return undefined;
  const allowed = fit.filter(schema, types.includes('null') ? [...values, null] : values, work);
  return allowed.length === 0 ? undefined : allowed;
}

const SLACK = 1e-9;

/** `3 * 0.1` is not 0.3. */
function multiple(count: number, step: number, work: LoweringPort['work']): number | undefined {
  const value = Number((count * step).toPrecision(15));
  return isMultipleOf(value, step, work) ? value : undefined;
}

function boundIn(
  schema: SchemaObject,
  keyword: string,
  exclusive: string,
  choose: (...bounds: number[]) => number,
): number {
  const bounds = [schema[keyword], schema[exclusive]].filter((bound) => typeof bound === 'number');
  return bounds.length === 0 ? Number.NaN : choose(...bounds);
}
