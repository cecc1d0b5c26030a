/** Kept run: the places of a run's files in the state folder, and its id. */

/** Number of runs that are kept in a repository's state folder, unless `logging.keepRuns` is set. */
export const MAX_KEPT_RUNS = 200;
/** Maximum length of a kept transcript, in UTF-16 units. */
export const MAX_TRANSCRIPT_CHARS: number = 1024 * 1024;
/** Names of a run's files. */
export const KEPT_FILES = {
  start: 'start.json',
  events: 'events.jsonl',
  record: 'run.json',
  transcript: 'transcript.txt',
} as const;

const ID = /^\d{8}T\d{6}Z-[\da-f]{8}$/u;

/** Returns true for the id of a kept run. Such an id is a safe folder name. */
export function isKeptRunId(text: string): boolean {
  return ID.test(text);
}

/** Returns the id of a run that started at this time. `random` has 8 hexadecimal digits. */
export function keptRunId(startedAt: Date, random: string): string {
  return `${startedAt.toISOString().replaceAll(/[-:]|\.\d+/gu, '')}-${random}`;
}
