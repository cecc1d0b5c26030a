/**
 * Table of codes: each kebab-case code of the library, and its snake_case form on the wire. The only
 * place where the two meet. Pure.
 */
import {
  DIALECTS,
  type SchemaDialect,
} from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';

/** Problem codes of errors. Codes of workers never reach a client as such: they are server faults. */
export const PROBLEM_CODES = {
  'invalid-body': 'invalid_body',
  'invalid-json': 'invalid_json',
  'invalid-parameter': 'invalid_parameter',
  unauthorized: 'unauthorized',
  'identity-unavailable': 'unavailable',
  closing: 'unavailable',
  'foreign-origin': 'foreign_origin',
  'foreign-host': 'foreign_host',
  'not-found': 'not_found',
  'method-not-allowed': 'method_not_allowed',
  'too-large': 'too_large',
  'unsupported-media-type': 'unsupported_media_type',
  'rate-limited': 'rate_limited',
  'too-many-open': 'too_many_open',
  'chat-not-found': 'chat_not_found',
  'message-not-found': 'message_not_found',
  'queued-not-found': 'queued_not_found',
  'request-not-found': 'request_not_found',
  'not-allowed': 'not_allowed',
  'queue-full': 'queue_full',
  'quota-exceeded': 'quota_exceeded',
  'budget-spent': 'budget_spent',
  'too-many-turns': 'too_many_turns',
  'client-id-taken': 'client_id_taken',
  'message-not-editable': 'message_not_editable',
  'no-tool-results': 'no_tool_results',
  'duplicate-tool-result': 'duplicate_tool_result',
  'missing-tool-result': 'missing_tool_result',
  'unexpected-tool-result': 'unexpected_tool_result',
  'invalid-tool-result': 'invalid_tool_result',
  'plan-mode': 'plan_mode',
  'request-open': 'request_open',
  'nothing-to-compact': 'nothing_to_compact',
  'idempotency-mismatch': 'idempotency_mismatch',
  'idempotency-taken': 'unavailable',
  superseded: 'internal',
  leased: 'internal',
  'request-ended': 'internal',
  'receipt-missing': 'internal',
  'input-changed': 'internal',
  'invalid-state': 'internal',
} as const;

/** The code of a problem document. */
export type ProblemCode = (typeof PROBLEM_CODES)[keyof typeof PROBLEM_CODES];

/** Statuses of a request. The last three are final. */
export const REQUEST_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;

/** Codes of receipts. The client throws the same codes, with hyphens. */
export const REQUEST_CODES = [
  'structured_output_not_produced',
  'generation_failed',
  'configuration_error',
  'deadline_exceeded',
  'quota_exceeded',
  'internal',
  'interrupted',
  'superseded',
  'queue_deleted',
  'chat_deleted',
] as const;

/** Statuses of an agent run. The last three are final. */
export const AGENT_RUN_STATUSES = [
  'queued',
  'running',
  'canceling',
  'succeeded',
  'failed',
  'canceled',
] as const;

/** When the branch of an agent run is pushed, the most first. */
export const PUSH_MODES = ['always', 'on_success', 'never'] as const;

/** When the branch of an agent run is pushed. `on_success`: at the end of a run that succeeded. */
export type PushMode = (typeof PUSH_MODES)[number];

/** Phases of an agent run that a worker executes. */
export const AGENT_RUN_PHASES = ['preparing', 'working', 'answered', 'settled'] as const;

/** Codes of agent runs without a result: the last two with `canceled`, the others with `failed`. */
export const AGENT_RUN_CODES = [
  'structured_output_not_produced',
  'agent_failed',
  'sandbox_failed',
  'repository_failed',
  'push_rejected',
  'limit_reached',
  'worker_lost',
  'configuration_error',
  'internal',
  'canceled',
  'expired',
  'batch_canceled',
] as const;

/** Artifacts of an agent run. */
export const AGENT_RUN_ARTIFACTS = [
  'log',
  'changes.patch',
  'uncommitted.patch',
  'recording.jsonl',
  'session',
] as const;

/** How an agent run follows its parent. The last two: a chat or a response of `/v1` asked for it. */
export const RUN_RELATIONS = ['retry', 'continue', 'fork', 'chat', 'response'] as const;

/** Why a queued agent run has not started. */
export const RUN_WAITS = [
  'start_after',
  'repository_limit',
  'agent_limit',
  'owner_limit',
  'budget',
  'no_worker',
] as const;

/** Limits reached, or the model's refusal; with `structured_output_not_produced`. */
export const NOT_PRODUCED_REASONS = [
  'text_only',
  'validation_exhausted',
  'unknown_tool',
  'step_budget',
  'empty_response',
  'truncated',
  'refused',
] as const;

/** Outcomes of one attempt. */
export const ATTEMPT_CODES = [
  'ok',
  'text_only',
  'invalid',
  'not_alone',
  'malformed',
  'too_large',
  'truncated',
  'runaway',
  'refused',
  'empty',
] as const;

/** Finish reasons of the model providers' adapters. Others are `other`. */
export const FINISH_REASONS = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  error: 'error',
} as const;

/** Repairs of a submission before the schema accepted its value. */
export const REPAIR_CODES = {
  'parsed-string': 'parsed_string',
  'unwrapped-output': 'unwrapped_output',
  'missing-envelope': 'missing_envelope',
  'unwrapped-fence': 'unwrapped_fence',
  'dropped-end-token': 'dropped_end_token',
  'dropped-reasoning': 'dropped_reasoning',
  'read-tool-call': 'read_tool_call',
  'answer-in-text': 'answer_in_text',
  'answer-in-reasoning': 'answer_in_reasoning',
} as const;

type SnakeCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}_${SnakeCase<Tail>}`
  : Name;

/** Dialects of JSON Schema. */
export const DIALECT_NAMES = Object.fromEntries(
  DIALECTS.map((name) => [name, name.replaceAll('-', '_')]),
) as { readonly [Name in SchemaDialect]: SnakeCase<Name> };
