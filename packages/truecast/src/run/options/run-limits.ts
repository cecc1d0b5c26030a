/** Limits on host writes of a run outside its worktree: defaults and validation. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { LoggingOption, RunLimits, SessionOption } from './run-bounds.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Completes the limits.
 *
 * @throws UsageError if one is not a positive number of bytes
 */
export function completeLimits(logging: LoggingOption, session: SessionOption): RunLimits {
  const log = 'maxBytes' in logging ? logging.maxBytes : undefined;
  return {
    sessionBytes: bytes('session.maxBytes', session.maxBytes, 64),
    logBytes: bytes('logging.maxBytes', log, 256),
    recordingBytes: bytes('logging.maxRecordBytes', logging.maxRecordBytes, 256),
  };
}

function bytes(name: string, value: number | undefined, mebibytes: number): number {
  if (value === undefined) return mebibytes * MEBIBYTE;
  if (typeof value === 'number' && value > 0) return value;
  throw new UsageError(`Expected \`${name}\` to be a positive number of bytes, got ${describeValue(value)}.`);
}
