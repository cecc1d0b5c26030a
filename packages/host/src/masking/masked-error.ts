/** Masking of one error: message, stack, evidence, cause, and the errors of an `AggregateError`. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';

/**
 * Properties that a caller needs unchanged: the location of the work, and an answer that was
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
const TEXTS: ReadonlySet<string> = new Set(['name', 'message', 'stack']);

/** How the parts of an error are masked. */
export interface ErrorMasking {
  readonly text: (text: string) => string;
  readonly member: (value: unknown) => unknown;
  /** Called with the masked error before its members, which can refer to it. */
  readonly started: (error: Error) => void;
}

/** Masks an error of Truecast in place, and returns a masked copy of each other error. */
export function maskedError(error: Error, masking: ErrorMasking): Error {
  const isOwn = TruecastError.isInstance(error);
  // The prototype keeps `instanceof` correct.
  const made = isOwn ? error : (Object.create(Object.getPrototypeOf(error) as object) as Error);
  masking.started(made);
  // A `DOMException` has getters on its prototype, which refuse a copy.
  if (!isOwn) assign(made, 'name', masking.text(error.name), false);
  assign(made, 'message', masking.text(error.message), false);
  if (error.stack !== undefined) assign(made, 'stack', masking.text(error.stack), false);
  for (const key of Object.getOwnPropertyNames(error)) {
    if (TEXTS.has(key) || (isOwn && KEPT.has(key))) continue;
    const found = Object.getOwnPropertyDescriptor(error, key);
    // A getter could do anything.
    if (found === undefined || !('value' in found)) continue;
    assign(made, isOwn ? key : masking.text(key), masking.member(found.value), found.enumerable ?? false);
  }
  // Packages recognize their own errors by a symbol.
  if (!isOwn) {
    for (const key of Object.getOwnPropertySymbols(error)) {
      const found = Object.getOwnPropertyDescriptor(error, key);
      if (found !== undefined) Object.defineProperty(made, key, found);
    }
  }
  return made;
}

function assign(error: Error, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
}
