/** Counter of tries, for the messages of final errors. Pure. */
import { ModelError } from '@truecast/core/internal/errors/model-error';

const triesOf = new WeakMap<object, number>();

/** Remembers how often a request was sent before this error was final. Returns the error. */
export function withTries(error: unknown, tries: number): unknown {
  if (tries > 1 && typeof error === 'object' && error !== null) triesOf.set(error, tries);
  return error;
}

/** Returns the end of the error's message: empty after one try. */
export function toldTries(error: object): string {
  const tries = triesOf.get(error);
  return tries === undefined ? '' : ` Tried ${tries} times.`;
}

/** Returns the same error, with the number of tries in its message. */
export function tellingTries(error: unknown): unknown {
  if (!ModelError.isInstance(error) || !triesOf.has(error)) return error;
  const { code, cause, statusCode, attempts, usage, receivedText } = error;
  return new ModelError(`${error.message}${toldTries(error)}`, {
    code,
    cause,
    attempts,
    ...(statusCode !== undefined && { statusCode }),
    ...(usage !== undefined && { usage }),
    ...(receivedText !== undefined && { receivedText }),
  });
}
