/** Event of a run's journal: one line of its file. Pure. */
/** Types of events in a journal. `cut`: the journal reached its size limit. */
export const JOURNAL_EVENT_TYPES = [
  'start',
  'sandbox',
  'iteration',
  'session',
  'text',
  'tool_call',
  'tool_result',
  'attempt',
  'warning',
  'error',
  'commit',
  'cut',
  'end',
] as const;

/** One line of a journal. Its strings are masked. */
export interface JournalEvent {
  readonly type: (typeof JOURNAL_EVENT_TYPES)[number];
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
}
