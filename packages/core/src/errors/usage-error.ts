/** Error of a call with invalid arguments, and checks that throw it before any side effect. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';
import { describeValue } from '../kit/describe-value.ts';

/** Why a call was refused. */
export type UsageErrorCode =
  | 'invalid-option'
  | 'invalid-definition'
  | 'invalid-attachment'
  | 'unsupported'
  | 'invalid-cwd'
  | 'no-state-folder'
  | 'exposed-state-folder'
  | 'not-repeatable'
  | 'base-url-source'
  | 'missing-package';

/**
 * Thrown when the caller must change the call: on entry, before any branch, worktree, sandbox or
 * request exists.
 *
 * @example
 * ```ts
 * Output.string({ tag: '1st' }); // UsageError: Expected `tag` to match [A-Za-z_][A-Za-z0-9_.-]*, got `"1st"` (string). …
 * ```
 */
export class UsageError extends TruecastError {
  override readonly name: string = 'UsageError';
  declare readonly code: UsageErrorCode;

  constructor(message: string, options: { readonly code?: UsageErrorCode; readonly cause?: unknown } = {}) {
    super(message, { code: options.code ?? 'invalid-option', cause: options.cause });
    brand(this, 'UsageError');
  }

  /** Returns true if `error` is a `UsageError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is UsageError {
    return isBranded(error, 'UsageError');
  }
}

/** Kinds of arguments, each with its words in a message. */
interface KindTypes {
  readonly 'an object': object;
  readonly 'a string': string;
  readonly 'an id': string | number;
  readonly 'a number': number;
  readonly 'an array': readonly unknown[];
  readonly 'a function': (...values: never) => unknown;
}

const TESTS: Readonly<Record<keyof KindTypes, (value: unknown) => boolean>> = {
  'an object': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'a string': (value) => typeof value === 'string',
  'an id': (value) => typeof value === 'string' || typeof value === 'number',
  'a number': (value) => typeof value === 'number',
  'an array': Array.isArray,
  'a function': (value) => typeof value === 'function',
};

/**
 * Rejects a value of another kind.
 *
 * @param name - the argument or option, as its caller knows it
 * @param next - the remedy, as a sentence
 * @throws UsageError `invalid-option`
 */
export function assertKind<TKind extends keyof KindTypes>(
  value: unknown,
  kind: TKind,
  name: string,
  next: string,
): asserts value is KindTypes[TKind] {
  if (TESTS[kind](value)) return;
  throw new UsageError(`Expected \`${name}\` to be ${kind}, got ${describeValue(value)}. ${next}`);
}

/** Rejects another value than a signal. A call without a signal is not ended from outside. */
export function assertSignal(signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw new UsageError(
    `Expected \`signal\` to be an AbortSignal, got ${describeValue(signal)}. Pass \`controller.signal\`, or leave it out.`,
  );
}

/**
 * Reads a value whose parts are not checked one by one. A part of another kind is refused.
 *
 * @param name - the argument, as its caller knows it
 * @param expected - what it is, as the text after "to be"
 * @throws UsageError `invalid-option`, with the raw error as its cause
 */
export function readOrRefuse<TResult>(
  value: unknown,
  [name, expected]: readonly [string, string],
  read: () => TResult,
): TResult {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    throw new UsageError(
      `Expected \`${name}\` to be ${expected}, got ${describeValue(value)}. Its parts cannot be read: ${cause.message}. Correct it.`,
      { cause },
    );
  }
}

/**
 * Thrown when `cwd` does not exist or is not a directory.
 *
 * @example
 * ```ts
 * if (CwdError.isInstance(error)) console.error(error.cwd);
 * ```
 */
export class CwdError extends UsageError {
  override readonly name: string = 'CwdError';
  /** Discriminant of this error. */
  readonly _tag = 'CwdError' as const;
  readonly cwd: string;

  constructor(message: string, { cwd, cause }: { readonly cwd: string; readonly cause?: unknown }) {
    super(message, { code: 'invalid-cwd', cause });
    this.cwd = cwd;
    brand(this, 'CwdError');
  }

  /** Returns true if `error` is a `CwdError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is CwdError {
    return isBranded(error, 'CwdError');
  }
}
