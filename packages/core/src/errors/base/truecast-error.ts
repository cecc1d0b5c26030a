/**
 * Base class of every Truecast error, and type checks that work across copies of the package. Pure.
 */

/** Options of a `TruecastError` besides its message. */
export interface TruecastErrorOptions {
  /** Stable, machine-readable reason. Each subclass narrows it to its own union. */
  readonly code: string;
  /** The underlying error, unchanged. */
  readonly cause?: unknown;
}

/**
 * Base class of every error that Truecast throws on purpose.
 *
 * A message ends with the next step for the reader. Programs branch on `code`.
 *
 * @example
 * ```ts
 * try { await run(options); } catch (error) { if (TruecastError.isInstance(error)) console.error(error.code); }
 * ```
 */
export class TruecastError extends Error {
  override readonly name: string = 'TruecastError';
  readonly code: string;

  constructor(message: string, { code, cause }: TruecastErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    brand(this, 'TruecastError');
  }

  /**
   * Returns true if `error` is a `TruecastError`, including one from another copy of the package.
   */
  static isInstance(error: unknown): error is TruecastError {
    return isBranded(error, 'TruecastError');
  }
}

/**
 * Marks `error` as an instance of the class `name`.
 *
 * `instanceof` fails if two copies of the package are loaded. A registry symbol is the same in both
 * (prior art: the AI SDK's error markers).
 */
export function brand(error: object, name: string): void {
  Object.defineProperty(error, brandOf(name), { value: true });
}

/** Returns true if `value` was branded as an instance of the class `name`. */
export function isBranded(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && brandOf(name) in value;
}

function brandOf(name: string): symbol {
  return Symbol.for(`truecast.error.${name}`);
}
