/** Limits on host writes of a run outside its worktree: defaults and validation. Pure. */
import { describeValue } from '@truecast/core/internal/errors/base/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { RunLimits } from './run-bounds.ts';

const MEBIBYTE = 1024 * 1024;

const DEFAULT_LIMITS: Required<RunLimits> = {
  sessionBytes: 64 * MEBIBYTE,
  logBytes: 256 * MEBIBYTE,
  recordingBytes: 256 * MEBIBYTE,
};

/**
 * Completes the limits.
 *
 * @throws UsageError if one is not a positive number of bytes
 */
export function completeLimits(limits: RunLimits = {}): Required<RunLimits> {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new UsageError(
      `Expected \`limits.${name}\` to be a positive number of bytes, got ${describeValue(value)}.`,
    );
  }
  const { sessionBytes, logBytes, recordingBytes } = limits;
  return {
    sessionBytes: sessionBytes ?? DEFAULT_LIMITS.sessionBytes,
    logBytes: logBytes ?? DEFAULT_LIMITS.logBytes,
    recordingBytes: recordingBytes ?? DEFAULT_LIMITS.recordingBytes,
  };
}
