/** Dead end: the reason why no JSON value fits a part of a schema. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';
import type { SchemaPath } from '../analysis/schema-place.ts';

/** Why no value fits a part, as its own keywords show it. */
export interface DeadEnd {
  /** The reason, as a clause. */
  readonly why: string;
  /** The remedy, as a sentence. */
  readonly cure: string;
  /** Path from the part to the cause. @default [] */
  readonly at?: SchemaPath;
  /** The part inside it that is the cause. */
  readonly inner?: unknown;
}

/** Why no value fits a schema, at its deepest cause. */
export interface ImpossiblePart {
  readonly path: SchemaPath;
  readonly why: string;
  readonly cure: string;
}

/** Questions of a part about the parts around and inside it. */
export interface PartsPort extends WorkMeter {
  /** Returns true if it is known that no value fits. */
  isImpossible(schema: unknown): boolean;
  /** Returns the target of a reference. Undefined if it is not followed. */
  resolve(reference: unknown): unknown;
  /** True up to draft 07, if the schema declares it: keywords beside a `$ref` do not count. */
  readonly ignoresRefSiblings: boolean;
}

/** A part that has no value itself. */
export const NO_VALUE: DeadEnd = {
  why: 'it excludes every value',
  cure: 'Remove it, or make it optional.',
};
