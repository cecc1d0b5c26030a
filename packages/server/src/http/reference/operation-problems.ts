/** Problem codes of an operation: those that follow from its form, and those of its notes. */
import { PROBLEM_STATUS } from '../../contract/wire/problem-wire.ts';
import type { ProblemCode } from '../../contract/wire-codes.ts';

/** The parts of a route that determine its possible problems. */
export interface OperationForm {
  readonly path: string;
  readonly isOpen?: boolean | undefined;
  readonly hasBody: boolean;
  readonly hasQuery: boolean;
  readonly takesIdempotencyKey?: boolean | undefined;
  readonly problems?: readonly ProblemCode[] | undefined;
}

/** A code with its status and its remedy. */
export interface OperationProblem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly remedy: string;
}

export function operationProblems(form: OperationForm): readonly OperationProblem[] {
  const codes = new Set<ProblemCode>([
    ...(form.isOpen === true ? [] : (['unauthorized', 'rate_limited', 'too_many_open'] as const)),
    ...(form.path.startsWith('/api/chats/:id') ? (['chat_not_found'] as const) : []),
    ...(/^\/(?:api\/(?:tokens|runs|kept_runs|ensembles)|metrics$)/u.test(form.path)
      ? (['not_found'] as const)
      : []),
    ...(form.hasBody
      ? (['invalid_body', 'invalid_json', 'too_large', 'unsupported_media_type'] as const)
      : []),
    ...(form.hasQuery ? (['invalid_parameter'] as const) : []),
    ...(form.takesIdempotencyKey === true ? (['idempotency_mismatch'] as const) : []),
    ...(form.problems ?? []),
    'foreign_host',
    'foreign_origin',
    'internal',
    'unavailable',
  ]);
  return [...codes]
    .map((code) => ({ code, status: PROBLEM_STATUS[code], remedy: PROBLEM_REMEDIES[code] }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}

/** One sentence or two per code. */
export const PROBLEM_REMEDIES: Readonly<Record<ProblemCode, string>> = {
  invalid_body: 'Fix the fields in `problems`.',
  invalid_json: 'Send one JSON object.',
  invalid_parameter: 'Fix the fields in `problems`.',
  plan_mode: 'Send one or the other.',
  message_not_editable: 'Edit the one before it.',
  no_tool_results: 'Send the results of all calls.',
  duplicate_tool_result: 'Send one.',
  missing_tool_result: 'Send the results of all calls at once.',
  unexpected_tool_result: 'Remove it.',
  invalid_tool_result: 'Send any JSON value.',
  unauthorized: 'Send `Authorization: Bearer …`, or create a new token.',
  quota_exceeded: 'Wait until then, delete a chat, or ask the operator for a higher quota.',
  foreign_origin: 'Allow its origin when you start the server.',
  not_found: 'See `/docs`. The detail contains the scope.',
  chat_not_found: 'Check the id and the token.',
  message_not_found: 'Read the messages again.',
  queued_not_found: 'Read the queue again.',
  request_not_found: 'Check the id and the token.',
  method_not_allowed: 'See `/docs`.',
  not_allowed: 'Read the chat; wait, or interrupt it.',
  client_id_taken: 'Read it with `~CLIENT_ID`, or choose a new id, such as a random UUID.',
  request_open: 'Wait for its receipt, or interrupt it.',
  nothing_to_compact: 'Send a message first.',
  idempotency_mismatch: 'Use a new key.',
  too_large: 'Send a smaller body.',
  unsupported_media_type: 'Send `content-type: application/json`.',
  foreign_host: "Use the server's name, or allow this one.",
  queue_full: 'Wait for a turn to end, or delete one.',
  budget_spent: 'Wait until then, or ask the operator for a higher budget.',
  too_many_turns: 'Wait for one to end, or interrupt one.',
  rate_limited: 'Wait for `retryAfterSeconds`.',
  too_many_open: 'End one first.',
  internal: 'Send `http_request_id` to the operator of the server.',
  unavailable: 'Send the request again later.',
};
