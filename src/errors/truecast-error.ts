/** Owns the root of every error that Truecast throws, and how one is told from another across copies of the package. Pure. */

/** What `TruecastError` takes beside its message. */
export interface TruecastErrorOptions {
  /** Stable, machine-readable reason; each subclass narrows it to its own union. */
  readonly code: string;
  /** What was thrown underneath; kept untouched. */
  readonly cause?: unknown;
}

/**
 * Is the root of every error that Truecast throws on purpose.
 *
 * A message ends with the next thing to do; `code` is what a program should branch on.
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

  /** Tells whether `error` is a `TruecastError`, also one from another copy of the package. */
  static isInstance(error: unknown): error is TruecastError {
    return isBranded(error, 'TruecastError');
  }
}

/**
 * Marks `error` as an instance of the class `name`.
 *
 * `instanceof` fails when two copies of the package are loaded; a registry symbol is the same in both
 * (prior art: the AI SDK's error markers).
 */
export function brand(error: object, name: string): void {
  Object.defineProperty(error, brandOf(name), { value: true });
}

/** Tells whether `value` was branded as an instance of the class `name`. */
export function isBranded(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && brandOf(name) in value;
}

function brandOf(name: string): symbol {
  return Symbol.for(`truecast.error.${name}`);
}
