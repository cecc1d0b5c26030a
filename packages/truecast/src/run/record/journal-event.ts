/** Event of a run's journal: one line of its file. Pure. */
import type { RUN_EVENT_TYPES } from '@truecast/core/internal/kit/run-event-types';
import type { BrokenRule } from './broken-rules.ts';

/** One line of a journal. Its strings are masked. */
export interface JournalEvent {
  readonly type: (typeof RUN_EVENT_TYPES)[number];
  /** ISO 8601. */
  readonly at: string;
  readonly iteration: number;
  /** Text of the agent, argument of a call, or a message. */
  readonly text?: string | undefined;
  /**
   * Depending on the type: name of a tool or branch, number or code of an attempt, or id of a
   * session or commit.
   */
  readonly name?: string | undefined;
  readonly isError?: true | undefined;
  /** Of a refused attempt. */
  readonly issues?: readonly BrokenRule[] | undefined;
}
