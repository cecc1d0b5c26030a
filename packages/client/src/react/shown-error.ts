/** Errors that a page shows: those of the client, and any other exception as one of them. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';

/** Returns the error itself, or one with the exception as its `cause`. */
export function shownError(error: unknown): TruecastError {
  if (TruecastError.isInstance(error)) return error;
  const said = error instanceof Error ? error.message : describeValue(error);
  return new ServerError(`Expected an answer of the server, got an exception: ${said}. Read \`cause\`.`, {
    code: 'invalid-response',
    cause: error,
  });
}
