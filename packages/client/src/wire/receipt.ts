/** Receipt: the durable outcome of a request. */
import type { AnswerMode } from '@truecast/core/internal/output/definition/provenance';
import {
  array,
  boolean,
  count,
  integer,
  json,
  number,
  object,
  openOneOf,
  optional,
  string,
  time,
  type Newer,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { dialectName } from './response-format.ts';
import {
  ATTEMPT_CODES,
  NOT_PRODUCED_REASONS,
  REPAIR_CODES,
  REQUEST_CODES,
  REQUEST_STATUSES,
} from './wire-codes.ts';

export const receiptMode: Shape<Extract<AnswerMode, 'tool' | 'native' | 'tool_auto' | 'json'> | Newer> =
  openOneOf('tool', 'native', 'tool_auto', 'json');
/** How a chat's answer was requested: a forced call, a schema mode, a tool and a reminder, or as JSON text. */
export type ReceiptMode = Of<typeof receiptMode>;

/** Status of a request. The last three are final. */
export const requestStatus = openOneOf(...REQUEST_STATUSES);

const requestErrorCode = openOneOf(...REQUEST_CODES);
/** Reason without an answer: the first four with `failed`, the others with `canceled`. */
export type RequestErrorCode = Of<typeof requestErrorCode>;

const notProducedReason = openOneOf(...NOT_PRODUCED_REASONS);
/** The limit reached, or the model's refusal; with `structured_output_not_produced`. */
export type NotProducedReason = Of<typeof notProducedReason>;

const errorMembers = { code: requestErrorCode, reason: optional(notProducedReason), message: string };
/**
 * Error of a request without an answer. The message states the next step and contains no text of a
 * client or model.
 */
export interface RequestError extends ObjectOf<typeof errorMembers> {}
export const requestError: Shape<RequestError> = object(errorMembers);

const issueMembers = {
  /** JSON Pointer into the answer. */
  path: string,
  rule: string,
};
/** One problem of a submission. */
export interface AttemptIssue extends ObjectOf<typeof issueMembers> {}
export const attemptIssue: Shape<AttemptIssue> = object(issueMembers);

/** A repair of a submission before the schema accepted its value. */
const repairCode = openOneOf(...Object.values(REPAIR_CODES));

const usageMembers = {
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  cost_usd: optional(number),
};
/** Tokens of one model call, or of all calls of a request. */
export interface ReceiptUsage extends ObjectOf<typeof usageMembers> {}
export const receiptUsage: Shape<ReceiptUsage> = object(usageMembers);

export const unenforcedRules = array(
  object({
    /** JSON Pointer into the schema. */
    path: string,
    keyword: string,
  }),
);
export const waitReason = openOneOf('rate_limit', 'outage', 'concurrency');

const attemptMembers = {
  code: openOneOf(...ATTEMPT_CODES),
  mode: optional(receiptMode),
  issues: optional(array(attemptIssue)),
  /** Repairs in order, outermost envelope first. */
  repairs: optional(array(repairCode)),
  /** False if numbers of the submission can have been rounded in transit. */
  numbers_exact: optional(boolean),
  /**
   * Rules of the schema that the engine was not asked to hold, because its schema mode cannot; the first
   * 100. The answer was validated with them. Absent without any, and without a schema mode.
   */
  unenforced: optional(unenforcedRules),
  /** The message of the model that this is about. */
  message_id: optional(integer),
  /** When the model call ended, in ISO 8601. */
  at: optional(time),
  /** Duration of the model call. */
  duration_ms: optional(number),
  /** Time before the model call, which `duration_ms` does not include. Absent if it did not wait. */
  waited_ms: optional(number),
  /** Reason of the wait. */
  waited_for: optional(waitReason),
  /** Tokens of the model call. */
  usage: optional(receiptUsage),
};
/** Outcome of one step for the answer. */
export interface ReceiptAttempt extends ObjectOf<typeof attemptMembers> {}
export const receiptAttempt: Shape<ReceiptAttempt> = object(attemptMembers);

export const receiptMembers = {
  request_id: string,
  /** Name of the schema. */
  name: optional(string),
  status: requestStatus,
  value: optional(json),
  /** The value as canonical JSON with exact numbers. */
  value_text: optional(string),
  /** SHA-256 of `value_text` in UTF-8, in hex. */
  value_hash: optional(string),
  /** False if the provider's adapter can have rounded numbers. */
  numbers_exact: optional(boolean),
  error: optional(requestError),
  /** SHA-256 of the canonical JSON of the schema, in hex. */
  schema_hash: string,
  mode: optional(receiptMode),
  attempts: array(receiptAttempt),
  /** The server's name of the model that answered: the chat's model, or one of the fallbacks. */
  model: optional(string),
  /** Schema mode of the model that answered last. Absent if none answered. */
  dialect: optional(dialectName),
  usage: optional(receiptUsage),
  /** From the start of the turn, or from the request if it never started. */
  duration_ms: optional(number),
  /** The message of the request, once it has left the queue. */
  message_id: optional(integer),
  /** When the request was accepted, in ISO 8601. */
  created_at: optional(time),
  /** When its message left the queue. */
  started_at: optional(time),
  ended_at: optional(time),
};
/** Outcome of a request. Each accepted request has exactly one. */
export interface Receipt extends ObjectOf<typeof receiptMembers> {}
export const receipt: Shape<Receipt> = object(receiptMembers, 'Receipt');

const firstIssueMembers = {
  /** JSON Pointer into the answer. Empty for the whole value. */
  path: string,
  /** The rule that was broken. */
  message: string,
  /** JSON of what the model gave there, at most 80 characters. Absent if it gave nothing that can be read. */
  got: optional(string),
};
/** The first problem of the last refused attempt. */
export interface FirstIssue extends ObjectOf<typeof firstIssueMembers> {}
export const firstIssue: Shape<FirstIssue> = object(firstIssueMembers);

/** What a list with `preview=true` says about a request: enough to distinguish two failures. */
export const evidenceMembers = {
  /** The first problem of the last refused attempt, if the request failed. Only with `preview=true`. */
  first_issue: optional(firstIssue),
  /** Beginning of the question, at most 160 characters. Only with `preview=true`. */
  question_preview: optional(string),
};
