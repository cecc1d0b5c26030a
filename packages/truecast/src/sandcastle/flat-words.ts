/** Names of flat options in messages that name a group. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';

const FLAT_NAMES: readonly (readonly [string, string])[] = [
  ['timeouts.idleMs', 'idleTimeoutSeconds'],
  ['timeouts.completionMs', 'completionTimeoutSeconds'],
  ['timeouts.runMs', 'timeoutSeconds'],
  ['timeouts.limitWaitMs', 'maxLimitWaitSeconds'],
  ['session.maxBytes', 'limits.sessionBytes'],
  ['session.resume', 'resumeSession'],
  ['session.fork', 'forkSession'],
  ['logging.maxBytes', 'limits.logBytes'],
  ['logging.maxRecordBytes', 'limits.recordingBytes'],
  ['logging.keepRuns', 'runs.keep'],
  ['logging.record', 'record'],
  ['budget.prices', 'prices'],
  ['branchStrategy.editablePaths', 'editablePaths'],
  ['policies.', ''],
];

/** Renames the options in an error's message, and returns the error. */
export function inFlatWords(error: unknown): unknown {
  if (TruecastError.isInstance(error))
    error.message = FLAT_NAMES.reduce(
      (message, [name, flat]) => message.replaceAll(`\`${name}`, `\`${flat}`),
      error.message,
    );
  return error;
}
