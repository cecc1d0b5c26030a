/** Origin of observed work: the owner, chat and trace that it belongs to. */
import type { TraceHeaders } from '../telemetry/traceparent.ts';

/** Who caused a model call, a tool call or an answer. */
export interface WorkOrigin extends TraceHeaders {
  /** Absent if the caller was not authenticated here. */
  readonly ownerId?: string;
  /** Absent for a call of `/v1`. */
  readonly chatId?: string;
}
