/** Observed work: facts of tool calls, turns, receipts and `/v1` answers, never their content. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { ReceiptUsage } from '@truecast/client/internal/wire/receipt';

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

/** A tool call that ended. */
export interface ObservedToolCall {
  readonly origin: WorkOrigin;
  /** Absent for a name that the model invented, and for a tool of the client. */
  readonly tool?: string;
  readonly runBy: 'server' | 'client';
  readonly outcome: 'ok' | 'error' | 'unknown' | 'not_run';
  /** Absent if this process did not run it. */
  readonly durationMs?: number;
}

/** A turn that ended. */
export interface ObservedTurn {
  readonly origin: WorkOrigin;
  readonly status: 'finished' | 'error' | 'interrupted';
  readonly model: string;
  /** Kind of the error. */
  readonly errorKind?: string;
}

/** A receipt that was committed. */
export interface ObservedReceipt {
  readonly origin: WorkOrigin;
  readonly requestId: string;
  readonly status: string;
  /** Reason for a missing value: the receipt's reason, or else its code. */
  readonly reason?: string;
  /** Outcome codes of the submissions. */
  readonly attempts: readonly string[];
  readonly mode?: string;
  readonly model?: string;
  readonly usage?: ReceiptUsage;
  /** Absent if the wall clock stepped back. */
  readonly durationMs?: number;
}

/** An answer of `/v1`. */
export interface ObservedAnswer {
  readonly origin: WorkOrigin;
  /** Such as `/v1/responses`. */
  readonly route: string;
  /** Absent if the server has no such model. An agent's own model is not part of it. */
  readonly model?: string;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  /** HTTP status of the answer as a whole body. */
  readonly status: number;
  readonly isStreamed: boolean;
  readonly usage?: Usage;
  readonly durationMs: number;
}

/** An agent run that ended. */
export interface ObservedRun {
  readonly origin: WorkOrigin;
  readonly runId: string;
  readonly status: string;
  /** Code of its error. Absent after a success. */
  readonly code?: string;
  readonly reason?: string;
  readonly repository: string;
  readonly agent: string;
  readonly executions: number;
  readonly usage?: ReceiptUsage;
  /** From its first start. Absent if it never started. */
  readonly durationMs?: number;
}

/** Numbers of parts that a worker removed from its machine after the ends of runs. */
export interface RemovedRemains {
  readonly worktrees: number;
  /** Branches and base commits in clones of addresses. */
  readonly references: number;
  readonly logs: number;
}

/** A line that an MCP server wrote to stderr, or a note about omitted lines. */
export interface ObservedStderr {
  /** Name of the MCP server. */
  readonly server: string;
  readonly level: 'debug' | 'warn';
  readonly text: string;
}

/** An answered HTTP request. */
export interface ObservedRequest {
  readonly requestId: string;
  readonly traceparent: string;
  readonly method: string;
  /** Pattern of the route, or `other`. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}
