/** Shared interface of the parts of a lowering: their results and services. Pure. */
import type { WorkBudget } from '../../work/work-budget.ts';
import type { AnswerFit } from '../analysis/answer-fit.ts';
import type { Conjunctions } from '../analysis/conjunctions.ts';
import type { DialectProfile } from '../profiles/dialect-profile.ts';
import type { PlacedSchema, SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

/** Converts a part of a lowered answer back. Undefined if no conversion is needed. */
export type InversePart = ((value: unknown, work: WorkBudget) => unknown) | undefined;

/** A lowered part of a schema. */
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
  /** The requested form. */
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
