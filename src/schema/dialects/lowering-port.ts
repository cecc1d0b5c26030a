/** Owns what the parts of a lowering share: what each makes, and what it can ask for. Pure. */
import type { DialectProfile } from './dialect-profile.ts';
import type { PlacedSchema, SchemaObject, SchemaPath } from './schema-place.ts';

/** Turns a part of a lowered answer back; undefined where there is nothing to turn back. */
export type InversePart = ((value: unknown) => unknown) | undefined;

/** A lowered part of a schema. */
export interface Lowered {
  readonly schema: SchemaObject;
  readonly inverse: InversePart;
}

/** Something that the schema says and the lowered one does not. */
export interface SchemaLoss {
  /** Where it stands in the schema that was given. */
  readonly path: SchemaPath;
  readonly keyword: string;
  /** What that means for an answer. */
  readonly reason: string;
}

/** A part that is asked for in another form, which the inverse turns back. */
export interface SchemaChange {
  /** Where it stands in the schema that was given. */
  readonly path: SchemaPath;
  readonly keyword: string;
  /** The form that is asked for. */
  readonly form: string;
}

/** One lowering under way. */
export interface LoweringPort {
  readonly profile: DialectProfile;
  readonly root: unknown;
  /** Lowers a part. */
  lower(schema: unknown, path: SchemaPath): Lowered;
  lose(path: SchemaPath, keyword: string, reason: string): void;
  change(path: SchemaPath, keyword: string, form: string): void;
  resolve(reference: unknown, path: SchemaPath): PlacedSchema;
  /** Tells whether a value fits a lowered part. */
  fitsLowered(schema: SchemaObject, value: unknown): boolean;
  /** Tells whether a value fits a part of the schema that was given; true where that cannot be told. */
  fitsOriginal(schema: unknown, value: unknown): boolean;
}
