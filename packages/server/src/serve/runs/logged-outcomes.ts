/** Outcomes of a repository's runs, from the log in its state folder. */
import { outcomeLogPath } from 'truecast/internal/run/logging/outcome-log';
import { isValidOutcome, readOutcomes } from 'truecast/internal/run/logging/read-outcomes';
import type { LoggedOutcome } from '../../contract/run-archive.ts';

/** Maximum size of the log's end that is read: about 50,000 lines. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Reads the end of the log.
 *
 * @yields outcomes, the oldest first, without unreadable lines
 * @returns true if the whole log was read
 */
export async function* readLoggedOutcomes(stateFolder: string): AsyncGenerator<LoggedOutcome, boolean> {
  const lines = readOutcomes(outcomeLogPath(stateFolder), { maxBytes: MAX_LOG_BYTES });
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) return value;
    if (value === undefined) continue;
    const { time, usage, ...outcome } = value;
    const isValid = isValidOutcome(value);
    yield { ...outcome, atMs: time.getTime(), isValid, costUsd: usage?.costUsd };
  }
}
