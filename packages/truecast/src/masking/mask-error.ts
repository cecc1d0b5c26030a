/** Masking of errors: message, stack, evidence and the chain of causes. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { maskValue } from './mask-value.ts';
import type { SecretMask } from './secret-mask.ts';

/**
 * Properties that a caller needs unchanged: the location of its work, and an answer that was
 * already valid.
 */
const KEPT: ReadonlySet<string> = new Set([
  'name',
  'code',
  'commits',
  'branch',
  'preservedWorktreePath',
  'sessionId',
  'sessionFilePath',
  'logFilePath',
  'usage',
  'output',
  'provenance',
]);
const MAX_CAUSES = 20;

/**
 * Masks an error that a run throws. Returns the same error.
 *
 * Truecast's own errors are changed in place, which keeps their class. A cause from other code is
 * replaced by a masked copy if it contains a secret.
 */
export function maskError(error: unknown, mask: SecretMask, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? mask.mask(error) : error;
  if (depth > MAX_CAUSES) return 'More causes were omitted.';
  if (!TruecastError.isInstance(error)) return maskForeign(error, mask, depth);
  assign(error, 'message', mask.mask(error.message));
  if (error.stack !== undefined) assign(error, 'stack', mask.mask(error.stack));
  for (const [key, value] of Object.entries(error)) {
    if (!KEPT.has(key) && key !== 'cause') assign(error, key, maskValue(value, mask));
  }
  if (error.cause !== undefined) assign(error, 'cause', maskError(error.cause, mask, depth + 1));
  return error;
}

function maskForeign(error: Error, mask: SecretMask, depth: number): Error {
  const message = mask.mask(error.message);
  const stack = error.stack === undefined ? undefined : mask.mask(error.stack);
  const cause = error.cause === undefined ? undefined : maskError(error.cause, mask, depth + 1);
  const own = Object.entries(error).filter(([key]) => key !== 'cause');
  const masked = own.map(([key, value]): [string, unknown] => [key, maskValue(value, mask)]);
  const isClean =
    message === error.message &&
    stack === error.stack &&
    cause === error.cause &&
    masked.every(([, value], index) => JSON.stringify(value) === JSON.stringify(own[index]?.[1]));
  if (isClean) return error;
  // The prototype keeps `instanceof` and `name` correct.
  const copied = Object.create(Object.getPrototypeOf(error) as object) as Error;
  assign(copied, 'message', message);
  if (cause !== undefined) assign(copied, 'cause', cause);
  if (stack !== undefined) assign(copied, 'stack', stack);
  for (const [key, value] of masked) assign(copied, key, value);
  return copied;
}

function assign(error: Error, key: string, value: unknown): void {
  const isEnumerable = Object.getOwnPropertyDescriptor(error, key)?.enumerable ?? false;
  Object.defineProperty(error, key, { value, enumerable: isEnumerable, configurable: true, writable: true });
}
