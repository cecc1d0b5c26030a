/** Multiples: the few values of a bounded number that is a multiple of another. Pure. */
import { isMultipleOf } from '../../engine/evaluation/multiple-of.ts';
import type { SchemaObject } from '../analysis/schema-place.ts';
import type { LoweringPort } from './lowering-port.ts';

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
