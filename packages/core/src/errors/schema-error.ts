/** Error of a JSON Schema that cannot be used. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

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

/** Options of a `SchemaError` besides its message. */
export interface SchemaErrorOptions {
  readonly code: SchemaErrorCode;
  readonly path: readonly (string | number)[];
  readonly cause?: unknown;
}

/**
 * Thrown when a JSON Schema is refused, or a validation with it would exceed its limits.
 *
 * @example
 * ```ts
 * if (SchemaError.isInstance(error)) console.error(error.code, error.path.join('/'));
 * ```
 */
export class SchemaError extends TruecastError {
  override readonly name: string = 'SchemaError';
  declare readonly code: SchemaErrorCode;
  /**
   * Path in the schema, from its root. For `too-much-work` in a validation, the path in the value.
   */
  readonly path: readonly (string | number)[];

  constructor(message: string, { code, path, cause }: SchemaErrorOptions) {
    super(message, { code, cause });
    this.path = path;
    brand(this, 'SchemaError');
  }

  /** Returns true if `error` is a `SchemaError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is SchemaError {
    return isBranded(error, 'SchemaError');
  }
}
