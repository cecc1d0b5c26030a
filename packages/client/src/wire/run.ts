/** Wire format of runs of coding agents. Types only: the server has the Zod schemas. */
import type { ReceiptUsage } from './receipt.ts';

/**
 * `live` is still going. The process of an `interrupted` one was killed. `valid` has an answer;
 * `done` required none.
 */
export type RunStatus = 'live' | 'interrupted' | 'valid' | 'failed' | 'done';

/** One attempt at the answer of a run. */
export interface RunAttempt {
  /** `ok`, or the failure's code. */
  readonly code: string;
  readonly message: string;
  /**
   * Position of the text in the transcript, in UTF-16 units; `end` is exclusive. Absent if the
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
  /** `ok`, `done`, the code of the failure, or the status of a run that did not end. */
  readonly code: string;
  readonly error?: string;
  readonly agent: string;
  readonly model?: string;
  readonly sandbox: string;
  readonly egress?: string;
  readonly branch?: string;
  /** Mode of the answer, such as `tag`. */
  readonly mode?: string;
  readonly tag?: string;
  readonly schema_hash?: string;
  readonly attempts: readonly RunAttempt[];
  /** Ids of the commits, oldest first. */
  readonly commits: readonly string[];
  readonly usage?: ReceiptUsage;
  readonly started_at: string;
  /** Up to now for a live run, and up to its last event for an interrupted one. */
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

/** Verdict of a check on one commit, in a clean checkout of it. */
export interface RunCheckView {
  readonly verdict: 'passed' | 'failed';
  readonly commit: string;
  readonly tree: string;
  readonly duration_ms: number;
}

/** A run with its answer and its transcript. */
export interface RunDetailView extends KeptRunView {
  readonly prompt: string;
  /** The valid answer as JSON. Absent if it was too large to keep. */
  readonly value_text?: string;
  readonly repairs?: readonly { readonly kind: string; readonly path: readonly (string | number)[] }[];
  /** The commit on which the check of the output passed. */
  readonly check?: RunCheckView;
  readonly warnings: readonly string[];
  readonly transcript: {
    /** The end of the agent's text, with secrets masked unit by unit. */
    readonly text: string;
    /** Length of the text before it, which was not kept. */
    readonly omitted_chars: number;
  };
}

/** One event of a run. Its strings are masked, and written by agents. */
export interface RunEventView {
  /** Position behind the event: `after` for the events that follow it. */
  readonly id: string;
  /** `cut`: the journal of the run reached its limit, and the rest is in the transcript only. */
  readonly type:
    | 'start'
    | 'sandbox'
    | 'iteration'
    | 'session'
    | 'text'
    | 'tool_call'
    | 'tool_result'
    | 'attempt'
    | 'warning'
    | 'error'
    | 'commit'
    | 'cut'
    | 'end';
  readonly at: string;
  readonly iteration: number;
  /** Text of the agent, argument or result of a call, or a message. */
  readonly text?: string;
  /** Name of a tool or branch, number or code of an attempt, or id of a session or commit. */
  readonly name?: string;
  readonly is_error?: boolean;
}

/** A page of a run's events, oldest first. */
export interface RunEventPageView {
  readonly status: RunStatus;
  readonly events: readonly RunEventView[];
  /** `after` of the next page. Absent on the last one of a run that is not live. */
  readonly next?: string;
}

/** Event of a run's stream. `status` is the first one, and the last one of a run that ended. */
export type RunStreamEvent = RunEventView | { readonly type: 'status'; readonly status: RunStatus };

/** A range of a run's transcript, in UTF-16 units. */
export interface RunTranscriptView {
  readonly text: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Length of the kept transcript, so far for a live run. */
  readonly chars: number;
  /** Length of the text before it, which was not kept. */
  readonly omitted_chars: number;
}
