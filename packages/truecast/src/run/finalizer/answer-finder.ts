/** Answer finder: the interface of every mode for finding the answer of a turn. */
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';

/** The data of a finished turn that a finder reads. */
export interface FinishedTurn {
  /** The final result text, or all of the agent's text if the CLI reports none. */
  readonly resultText: string;
  readonly hasEnded: boolean;
  readonly endValue: unknown;
  /** JSON of `endValue` as the agent wrote it. Absent if the agent does not report it. */
  readonly endValueText: string | undefined;
  /** True if `endValue` is from a call, because the final event lacked it. @default false */
  readonly isFromCall?: boolean;
  /** True if the agent called a tool after its last message. @default false */
  readonly isWorkLast?: boolean;
}

export interface AnswerFinder {
  /** Accepts the agent's text as it arrives. */
  push(text: string): void;
  /** Returns the partial answer. Undefined if the mode has no preview. */
  partial(): { readonly value: unknown } | undefined;
  /** Returns a live view of the partial answer. Absent if the mode has none. */
  growing?(): { readonly value: unknown; readonly draft: number };
  /** Resolves after the tool has accepted an answer. */
  readonly answered?: Promise<void>;
  /** Returns true if the agent is waiting for the validation of an answer. */
  isAwaited?(): boolean;
  /** True if the caller's check has validated the answer too. */
  readonly isChecked?: boolean;
  /**
   * Validates the turn's answer. `turn` is undefined if the process failed and only its text
   * exists.
   */
  finish(turn: FinishedTurn | undefined): Promise<SafeExtractResult<unknown>>;
}
