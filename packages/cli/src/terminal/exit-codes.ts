/** Exit codes of the command line. */
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { ManifestError } from '@truecast/core/internal/errors/manifest-error';
import { RequestEndedError } from '@truecast/core/internal/errors/request-ended-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  /** The agent finished, but its answer was missing or invalid. */
  noAnswer: 3,
  interrupted: 130,
} as const;

/** Git errors that make any run impossible: the caller named an unsuitable repository or branch. */
const WRONG_PLACE: readonly string[] = ['not-a-repository', 'bare', 'no-commit', 'invalid-branch'];

export function exitCodeOf(error: unknown): number {
  if (UsageError.isInstance(error) || SchemaError.isInstance(error) || ManifestError.isInstance(error))
    return EXIT.wrongUse;
  if (StructuredOutputError.isInstance(error) || RequestEndedError.isInstance(error)) return EXIT.noAnswer;
  if (InterruptedError.isInstance(error)) return EXIT.interrupted;
  if (RepositoryError.isInstance(error) && WRONG_PLACE.includes(error.code)) return EXIT.wrongUse;
  return EXIT.failed;
}
