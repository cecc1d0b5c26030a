/** Origin of observed work: the owner, chat and trace that it belongs to. */

/** The cause of a model call, a tool call or an answer. */
export interface WorkOrigin {
  /** Absent if the caller was not authenticated here. */
  readonly ownerId?: string;
  /** Absent for a call of `/v1`. */
  readonly chatId?: string;
  /** Header of the span that the work belongs to. */
  readonly traceparent?: string;
  /** State of the trace. */
  readonly tracestate?: string;
}
