/** Wire format of refusals: problem documents (RFC 9457). Pure. */
import { z } from 'zod';
import type { Problem } from '@truecast/client/internal/wire/response-format';
import { problemSchema } from './format-wire.ts';
import type { WireSchema } from '../wire-schema.ts';

/** HTTP status of each problem code. */
export const PROBLEM_STATUS = {
  'invalid-body': 400,
  'invalid-json': 400,
  'invalid-parameter': 400,
  'invalid-cursor': 400,
  'plan-mode': 400,
  'message-not-editable': 400,
  'no-tool-results': 400,
  'duplicate-tool-result': 400,
  'missing-tool-result': 400,
  'unexpected-tool-result': 400,
  'invalid-tool-result': 400,
  unauthorized: 401,
  'foreign-origin': 403,
  'not-found': 404,
  'chat-not-found': 404,
  'message-not-found': 404,
  'queued-not-found': 404,
  'request-not-found': 404,
  'method-not-allowed': 405,
  'not-allowed': 409,
  'request-open': 409,
  'nothing-to-compact': 409,
  'idempotency-mismatch': 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  'foreign-host': 421,
  'queue-full': 429,
  'rate-limited': 429,
  'too-many-open': 429,
  internal: 500,
  unavailable: 503,
} as const;

/** The code of a problem document. */
export type ProblemCode = keyof typeof PROBLEM_STATUS;

/** Body of a refused request, as `application/problem+json`. */
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
  /** Also in the header `x-request-id` and in the server's log. */
  readonly request_id: string;
}

// `Object.keys` loses the key type of the table.
const codes = Object.keys(PROBLEM_STATUS) as [ProblemCode, ...ProblemCode[]];

/** Schema of a problem document. */
export const problemDocumentSchema: WireSchema<ProblemDocument> = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    detail: z.string(),
    field: z.string().exactOptional(),
    problems: z.array(problemSchema).exactOptional(),
    request_id: z.string(),
  })
  .meta({ ref: 'ProblemDocument' });
