/** Shared interface of the parts of a lowering: their results and services, and values as JSON text. Pure. */
import type { WorkBudget, WorkMeter } from '../../work/work-budget.ts';
import type { AnswerFit } from '../analysis/answer-fit.ts';
import type { Conjunctions } from '../analysis/conjunctions.ts';
import type { DialectProfile } from '../profiles/dialect-profile.ts';
import type { PlacedSchema, SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import { findInexact } from '../../../json/text/find-inexact.ts';

/** Converts a part of a lowered answer back. Undefined if no conversion is needed. */
export type InversePart = ((value: unknown, work: WorkBudget) => unknown) | undefined;

export interface Lowered {
  readonly schema: SchemaObject;
  readonly inverse: InversePart;
}

/** A rule of the schema that the lowered one does not contain. */
export interface SchemaLoss {
  /** Path in the original schema. */
  readonly path: SchemaPath;
  readonly keyword: string;
  /** Consequence for an answer. */
  readonly reason: string;
}

/** A part that is requested in another form, which the inverse converts back. */
export interface SchemaChange {
  /** Path in the original schema. */
  readonly path: SchemaPath;
  readonly keyword: string;
  readonly form: string;
}

/** The current lowering, as its parts use it. */
export interface LoweringPort {
  readonly profile: DialectProfile;
  readonly root: unknown;
  readonly work: WorkBudget;
  readonly fit: AnswerFit;
  readonly conjunctions: Conjunctions;
  /** Number of optional properties that still have to become required ones that accept `null`. */
  nullablesLeft: number;
  lower(schema: unknown, path: SchemaPath): Lowered;
  lose(path: SchemaPath, keyword: string, reason: string): void;
  change(path: SchemaPath, keyword: string, form: string): void;
  resolve(reference: unknown, path: SchemaPath): PlacedSchema;
  /** Returns true if a part accepts `null`. */
  acceptsNull(schema: unknown): boolean;
  /** Merges a schema with its `allOf` and its reference, at all depths. */
  mergeAll(schema: SchemaObject, path: SchemaPath): SchemaObject;
  /** Merges two schemas that must both match. */
  merge(first: SchemaObject, second: SchemaObject, path: SchemaPath): SchemaObject;
}

const ANY_TEXT = 'JSON text of the value';

/** Returns the schema of a string that contains the JSON of any value. */
export function jsonText(description?: unknown): Lowered {
  const text = typeof description === 'string' ? `${description}\n(${ANY_TEXT})` : ANY_TEXT;
  return { schema: { type: 'string', description: text }, inverse: readJsonText };
}

/** Returns the schema of a string that is the JSON of one of the given values. */
export function jsonTextOf(
  values: readonly unknown[],
  annotations: Readonly<Record<string, unknown>>,
  work: WorkMeter,
): Lowered {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  for (const text of byText.keys()) work.spend(2 + (text.length >> 4));
  return {
    schema: { type: 'string', ...annotations, enum: [...byText.keys()] },
    inverse: (value) => (typeof value === 'string' && byText.has(value) ? byText.get(value) : value),
  };
}

/**
 * Text that is not JSON, or that would lose precision when parsed, stays a string. The original
 * schema then validates it.
 */
function readJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return findInexact(value, parsed) === undefined ? parsed : value;
  } catch {
    return value;
  }
}
