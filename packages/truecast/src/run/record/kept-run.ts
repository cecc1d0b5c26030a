/** Kept run: the records of a run in the state folder, and the place of its files. */
import type { CheckedCommit, Repair } from '@truecast/core/internal/output/definition/provenance';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { ProcessIdentity } from '../../process/process-identity.ts';

/** Range in a transcript, in UTF-16 units. `end` is exclusive. */
export interface TranscriptSpan {
  readonly start: number;
  readonly end: number;
}

export interface KeptAttempt {
  /** `ok`, or the failure's code. */
  readonly code: string;
  readonly message: string;
  /** Position of the text in the transcript. Absent if the answer did not come as text. */
  readonly span?: TranscriptSpan | undefined;
}

/** Facts of a run that are known when its agent starts. Its strings are masked. */
export interface RunFacts {
  readonly version: 1;
  /** Begins with the time of the start, so that ids sort by age. */
  readonly id: string;
  readonly name?: string | undefined;
  /** True if the agent's text came from a recording. */
  readonly isReplayed?: true | undefined;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly sandbox: string;
  readonly egress?: string | undefined;
  readonly branch?: string | undefined;
  readonly prompt: string;
  readonly startedAt: string;
  /** The required answer. */
  readonly output?:
    | {
        readonly mode?: string | undefined;
        readonly tag?: string | undefined;
        readonly schemaHash?: string | undefined;
      }
    | undefined;
}

/** Record of a run from its start to its end. It stays if the process is killed. */
export interface StartedRun extends RunFacts {
  /** The process of the run. */
  readonly process: ProcessIdentity;
}

/** Record of a finished run. */
export interface KeptRun extends RunFacts {
  readonly durationMs: number;
  /** `ok` with a valid answer, `done` without a required one, or the code of the failure. */
  readonly code: string;
  readonly error?: string | undefined;
  readonly attempts: readonly KeptAttempt[];
  /** JSON of the valid answer. Absent if it was too large to keep. */
  readonly valueText?: string | undefined;
  readonly repairs?: readonly Repair[] | undefined;
  /** The commit on which the output's check passed. */
  readonly check?: CheckedCommit | undefined;
  readonly commits: readonly string[];
  readonly usage?: Usage | undefined;
  readonly warnings: readonly string[];
  readonly transcript: {
    /** Length of the kept text: the end of the agent's text. */
    readonly chars: number;
    /** Length of the text before it, which was not kept. */
    readonly omittedChars: number;
  };
}

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
