/** Wire format of rejected requests: problem documents (RFC 9457). Pure. */
import { z } from 'zod';
import { toZod } from '../to-zod.ts';
import { problem, type Problem } from '@truecast/client/internal/wire/response-format';
import type { ProblemCode } from '../wire-codes.ts';
import type { WireSchema } from '../wire-schema.ts';

/** HTTP status of each problem code. */
export const PROBLEM_STATUS: Readonly<Record<ProblemCode, number>> = {
  invalid_body: 400,
  invalid_json: 400,
  invalid_parameter: 400,
  plan_mode: 400,
  message_not_editable: 400,
  no_tool_results: 400,
  duplicate_tool_result: 400,
  missing_tool_result: 400,
  unexpected_tool_result: 400,
  invalid_tool_result: 400,
  unauthorized: 401,
  quota_exceeded: 402,
  foreign_origin: 403,
  not_found: 404,
  chat_not_found: 404,
  message_not_found: 404,
  queued_not_found: 404,
  request_not_found: 404,
  method_not_allowed: 405,
  not_allowed: 409,
  client_id_taken: 409,
  request_open: 409,
  nothing_to_compact: 409,
  idempotency_mismatch: 409,
  too_large: 413,
  unsupported_media_type: 415,
  foreign_host: 421,
  queue_full: 429,
  budget_spent: 429,
  too_many_turns: 429,
  rate_limited: 429,
  too_many_open: 429,
  internal: 500,
  unavailable: 503,
};

/** Body of the response to a rejected request, as `application/problem+json`. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  /** The expectation and the next step. */
  readonly detail: string;
  /** The first invalid field, if any. */
  readonly field?: string;
  /** All problems by field, if any. */
  readonly problems?: readonly Problem[];
  /** Id of the request. Also in the header `x-request-id` and in the server's log. */
  readonly http_request_id: string;
}

// `Object.keys` loses the key type of the table.
const codes = Object.keys(PROBLEM_STATUS) as [ProblemCode, ...ProblemCode[]];

export const problemDocumentSchema: WireSchema<ProblemDocument> = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    detail: z.string(),
    field: z.string().exactOptional(),
    problems: z.array(toZod(problem)).exactOptional(),
    http_request_id: z.string(),
  })
  .meta({ ref: 'ProblemDocument' });
