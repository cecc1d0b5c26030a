/** Owns how a turn treats a tool, and what a tool knows of the call that it runs. Pure. */

/** How a turn treats a tool. */
export interface ToolTraits {
  /** It runs alone: with any other call beside it nothing runs. @default false */
  readonly isExclusive?: boolean;
  /** Its success ends the turn. @default false */
  readonly isStopAfter?: boolean;
  /** It changes nothing, so that it may be used in plan mode. @default false */
  readonly isReadOnly?: boolean;
  /** Running it twice is as running it once: a call whose answer was lost is made again. @default false */
  readonly isIdempotent?: boolean;
  /** When its signal fires it ends what it does and tells how far it came: its result stands also in an interrupted turn. @default false */
  readonly tellsWhenStopped?: boolean;
}

/** What is told of the call beside its input. */
export interface ToolCallContext {
  readonly chatId: string;
  readonly ownerId: string;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
}
