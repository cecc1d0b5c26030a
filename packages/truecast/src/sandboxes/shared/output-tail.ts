/** Validation of `maxOutputTailChars`. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/**
 * Rejects a value that is not a valid length.
 *
 * @throws UsageError
 */
export function assertTailChars(value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1)) return;
  throw new UsageError(
    `Expected \`maxOutputTailChars\` to be a whole number, 1 or greater, got ${describeValue(value)}.`,
  );
}
