/** Owns the error for a JSON Schema that cannot be used. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** Why a schema, or a validation with it, was refused. */
export type SchemaErrorCode =
  | 'too-large'
  | 'too-deep'
  | 'too-many-nodes'
  | 'too-much-work'
  | 'remote-reference'
  | 'pattern'
  | 'unsupported'
  | 'invalid';

/** What a `SchemaError` carries beside its message. */
export interface SchemaErrorOptions {
  readonly code: SchemaErrorCode;
  readonly path: readonly (string | number)[];
  readonly cause?: unknown;
}

/**
 * Says that a JSON Schema is refused, or that validating with it would cost more than its limits allow.
 *
 * @example
 * ```ts
 * if (SchemaError.isInstance(error)) console.error(error.code, error.path.join('/'));
 * ```
 */
export class SchemaError extends TruecastError {
  override readonly name: string = 'SchemaError';
  declare readonly code: SchemaErrorCode;
  /** Where in the schema, from its root; for `too-much-work` in a validation, where in the value. */
  readonly path: readonly (string | number)[];

  constructor(message: string, { code, path, cause }: SchemaErrorOptions) {
    super(message, { code, cause });
    this.path = path;
    brand(this, 'SchemaError');
  }

  /** Tells whether `error` is a `SchemaError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is SchemaError {
    return isBranded(error, 'SchemaError');
  }
}
