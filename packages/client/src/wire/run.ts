/** Wire format of kept runs of coding agents. Types only: the server has the Zod schemas. */
import type { ReceiptUsage } from './receipt.ts';

/** `valid` has an answer; `done` required none. */
export type RunStatus = 'valid' | 'failed' | 'done';

/** One attempt at the answer of a run. */
export interface RunAttempt {
  /** `ok`, or the failure's code. */
  readonly code: string;
  readonly message: string;
  /**
   * Position of its text in the transcript, in UTF-16 units; `end` is exclusive. Absent if the
   * answer did not come as text.
   */
  readonly span?: { readonly start: number; readonly end: number };
}

/** A run in a list. Its strings are masked, and written by agents. */
export interface KeptRunView {
  readonly id: string;
  readonly name?: string;
  readonly status: RunStatus;
  /** True if the agent's text came from a recording. */
  readonly is_replayed?: boolean;
  /** `ok`, `done`, or the code of the failure. */
  readonly code: string;
  readonly error?: string;
  readonly agent: string;
  readonly model?: string;
  readonly sandbox: string;
  readonly egress?: string;
  readonly branch?: string;
  /** Route of the answer, such as `tag`. */
  readonly route?: string;
  readonly tag?: string;
  readonly schema_hash?: string;
  readonly attempts: readonly RunAttempt[];
  /** Ids of the commits, oldest first. */
  readonly commits: readonly string[];
  readonly usage?: ReceiptUsage;
  readonly started_at: string;
  readonly duration_ms: number;
  /** First 160 characters of the prompt. */
  readonly prompt_preview: string;
  /** First 160 characters of the value as JSON. */
  readonly value_preview?: string;
}

/** A page of runs, newest first. */
export interface RunPageView {
  readonly runs: readonly KeptRunView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A run with its answer and its transcript. */
export interface RunDetailView extends KeptRunView {
  readonly prompt: string;
  /** The valid answer as JSON. Absent if it was too large to keep. */
  readonly value_text?: string;
  readonly repairs?: readonly { readonly kind: string; readonly path: readonly (string | number)[] }[];
  readonly warnings: readonly string[];
  readonly transcript: {
    /** The end of the agent's text, with secrets masked unit by unit. */
    readonly text: string;
    /** Length of the text before it, which was not kept. */
    readonly omitted_chars: number;
  };
}
