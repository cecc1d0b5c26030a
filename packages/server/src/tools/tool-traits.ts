/** Tool traits for turn decisions, and the public context of a call. Pure. */

/** Traits of a tool. */
export interface ToolTraits {
  /** Exclusive: if its step has any other call, no call runs. @default false */
  readonly isExclusive?: boolean;
  /** True if its success ends the turn. @default false */
  readonly isStopAfter?: boolean;
  /** True if it changes nothing, so that it is available in plan mode. @default false */
  readonly readOnlyHint?: boolean;
  /** Idempotent: a call whose result was lost is repeated. @default false */
  readonly idempotentHint?: boolean;
  /**
   * True if it returns its progress when its signal aborts. The result is kept in an interrupted
   * turn. @default false
   */
  readonly tellsWhenStopped?: boolean;
}

/** Context of a call, in addition to its input. */
export interface ToolCallContext {
  readonly chatId: string;
  readonly ownerId: string;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
}
