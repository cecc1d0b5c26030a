/** Check of a timeout: Node's timers take at most 24 days, and end at once with anything longer. Pure. */
import { UsageError } from '../errors/usage-error.ts';
import { describeValue } from '../kit/describe-value.ts';

/** In milliseconds. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

/** @throws UsageError for a value that no timer keeps. Undefined is accepted. */
export function assertTimeout(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS)) return;
  throw new UsageError(
    `Expected \`${name}\` to be a number of milliseconds above 0, at most 24 days, got ${describeValue(value)}. Correct it.`,
  );
}
