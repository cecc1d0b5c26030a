/** Check of `until` and `maxRounds`. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertWhole } from './assert-run-options.ts';
import type { RunOptions } from './run-options.ts';

/** Rejects a condition on an answer that does not exist, and bounds without a condition. */
export function assertUntil({
  until,
  maxRounds,
  output,
}: Pick<RunOptions, 'until' | 'maxRounds' | 'output'>): void {
  if (maxRounds !== undefined) assertWhole('maxRounds', maxRounds, 1);
  if (until === undefined) {
    if (maxRounds === undefined) return;
    throw new UsageError(
      '`maxRounds` bounds `until`, which is absent. Pass it, or set `maxCorrections` of the `output` for invalid answers.',
    );
  }
  if (typeof until !== 'function') {
    throw new UsageError(
      `Expected \`until\` to be a function, got ${describeValue(until)}. Write \`until: (output) => output.isDone\`.`,
    );
  }
  if (output !== undefined) return;
  throw new UsageError(
    '`until` needs an `output`, whose value it is called with. Define one, or set `maxIterations` to repeat until a completion signal.',
  );
}
