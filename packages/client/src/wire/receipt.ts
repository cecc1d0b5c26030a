/** Receipt: the durable outcome of a request. */
import type { AnswerMode } from '@truecast/core/internal/output/definition/answer-mode';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import type { DialectName } from './response-format.ts';
import type {
  ATTEMPT_CODES,
  NOT_PRODUCED_REASONS,
  REPAIR_CODES,
  REQUEST_CODES,
  REQUEST_STATUSES,
} from './wire-codes.ts';

/** How a chat's answer was requested: a forced tool call, the reply itself, or a tool and a reminder. */
export type ReceiptMode = Extract<AnswerMode, 'tool' | 'native' | 'tool_auto'>;

/** Status of a request. The last three are final. */
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Why there is no answer: the first four with `failed`, the others with `canceled`. */
export type RequestErrorCode = (typeof REQUEST_CODES)[number];

/** The limit reached, or the model's refusal; with `structured_output_not_produced`. */
export type NotProducedReason = (typeof NOT_PRODUCED_REASONS)[number];

/**
 * Error of a request without an answer. The message states the next step and contains no text of a
 * client or model.
 */
export interface RequestError {
  readonly code: RequestErrorCode;
  readonly reason?: NotProducedReason;
  readonly message: string;
}

/** One problem of a submission. */
export interface AttemptIssue {
  /** JSON Pointer into the answer. */
  readonly path: string;
  readonly rule: string;
}

/** A repair of a submission before the schema accepted its value. */
export type RepairCode = (typeof REPAIR_CODES)[keyof typeof REPAIR_CODES];

/** Outcome of one step for the answer. */
export interface ReceiptAttempt {
  readonly code: (typeof ATTEMPT_CODES)[number];
  readonly mode?: ReceiptMode;
  readonly issues?: readonly AttemptIssue[];
  /** Repairs in order, outermost envelope first. */
  readonly repairs?: readonly RepairCode[];
  /** False if numbers of the submission can have been rounded in transit. */
  readonly numbers_exact?: boolean;
  /**
   * Rules of the schema that the engine was not asked to hold, because its schema mode cannot; the first
   * 100. The answer was validated with them. Absent if there are none, and without a schema mode.
   */
  readonly unenforced?: readonly {
    /** JSON Pointer into the schema. */
    readonly path: string;
    readonly keyword: string;
  }[];
  /** The message of the model that this is about. */
  readonly message_id?: number;
  /** When the model call ended, in ISO 8601. */
  readonly at?: string;
  /** Duration of the model call. */
  readonly duration_ms?: number;
  /** Time before the model call, which `duration_ms` does not include. Absent if it did not wait. */
  readonly waited_ms?: number;
  /** Reason of the wait. */
  readonly waited_for?: 'rate_limit' | 'outage' | 'concurrency';
  /** Tokens of the model call. */
  readonly usage?: ReceiptUsage;
}

/** Tokens of one model call, or of all calls of a request. */
export interface ReceiptUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cost_usd?: number;
}

/** Outcome of a request. Each accepted request has exactly one. */
export interface Receipt {
  readonly request_id: string;
  /** Name of the schema. */
  readonly name?: string;
  readonly status: RequestStatus;
  readonly value?: JsonValue;
  /** The value as canonical JSON with exact numbers. */
  readonly value_text?: string;
  /** SHA-256 of `value_text` in UTF-8, in hex. */
  readonly value_hash?: string;
  /** False if the provider's adapter can have rounded numbers. */
  readonly numbers_exact?: boolean;
  readonly error?: RequestError;
  /** SHA-256 of the canonical JSON of the schema, in hex. */
  readonly schema_hash: string;
  readonly mode?: ReceiptMode;
  readonly attempts: readonly ReceiptAttempt[];
  /** The server's name of the model that answered: the chat's model, or one of the fallbacks. */
  readonly model?: string;
  /** Schema mode of the model that answered last. Absent in receipts of an older version. */
  readonly dialect?: DialectName;
  readonly usage?: ReceiptUsage;
  /** From the start of the turn, or from the request if it never started. */
  readonly duration_ms?: number;
  /** The message of the request, once it has left the queue. */
  readonly message_id?: number;
  /** When the request was accepted, in ISO 8601. */
  readonly created_at?: string;
  /** When its message left the queue. */
  readonly started_at?: string;
  readonly ended_at?: string;
}
