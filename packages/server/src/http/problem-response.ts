/**
 * Maps errors to problem documents by one table of codes. A server fault is never reported as a
 * client error.
 */
import { ChatStateError, type ChatStateErrorCode } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { Problem } from '@truecast/client/internal/wire/response-format';
import { PROBLEM_STATUS, type ProblemDocument } from '../contract/wire/problem-wire.ts';
import { PROBLEM_CODES, type ProblemCode } from '../contract/wire-codes.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'An access token is required',
  402: 'Quota spent',
  403: 'Origin not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Not possible now',
  413: 'Body too large',
  415: 'Not JSON',
  421: 'Host not allowed',
  429: 'Too many requests',
  500: 'The server failed',
  503: 'Not ready',
};

/** The request field of a state machine refusal. */
const STATE_FIELDS: Partial<Record<ChatStateErrorCode, string>> = {
  'plan-mode': 'response_format',
  'request-open': 'plan_mode',
  'no-tool-results': 'results',
  'duplicate-tool-result': 'results',
  'missing-tool-result': 'results',
  'unexpected-tool-result': 'results',
  'invalid-tool-result': 'results',
  'idempotency-mismatch': 'Idempotency-Key',
};

/** Codes of states that can pass within a second. */
const RETRIED_SOON: ReadonlySet<ProblemCode> = new Set(['unavailable', 'queue_full', 'too_many_turns']);

/** An error as reported. */
interface Told {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly problems?: readonly Problem[];
  readonly retryAfterSeconds?: number;
}

export function problemResponse(error: unknown, requestId: string): Response {
  const { code, detail, problems = [], retryAfterSeconds } = tell(error);
  const status = PROBLEM_STATUS[code];
  const [first] = problems;
  const document: ProblemDocument = {
    type: `/docs#${code}`,
    title: TITLES[status] ?? 'Refused',
    status,
    code,
    detail,
    ...(first !== undefined && { field: first.field, problems }),
    http_request_id: requestId,
  };
  const headers = new Headers({ 'content-type': 'application/problem+json', 'x-request-id': requestId });
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(JSON.stringify(document), { status, headers });
}

/** Returns true for a server fault, which belongs in the log. */
export function isServerFault(error: unknown): boolean {
  return PROBLEM_STATUS[tell(error).code] >= 500;
}

function tell(error: unknown): Told {
  if (RequestRefusedError.isInstance(error)) {
    const { code, message, problems, retryAfterSeconds } = error;
    return {
      code: PROBLEM_CODES[code],
      detail: message,
      problems,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  }
  if (ChatStateError.isInstance(error)) return tellState(error);
  // The other codes name a defect, which passes at no repetition.
  if (StoreError.isInstance(error) && error.code !== 'constraint' && error.code !== 'query') {
    const detail =
      'The database is unavailable. Send the request again; an Idempotency-Key prevents doing it twice.';
    return { code: 'unavailable', detail, retryAfterSeconds: 1 };
  }
  return {
    code: 'internal',
    detail: 'The server failed. Search the server log for the http_request_id to find the cause.',
  };
}

function tellState({ code: stateCode, message, subject, resetsAt }: ChatStateError): Told {
  const code = PROBLEM_CODES[stateCode];
  if (code === 'internal') return tell(undefined);
  const field = STATE_FIELDS[stateCode];
  return {
    code,
    detail:
      subject !== undefined && field === 'results' ? `${message} Call: ${JSON.stringify(subject)}.` : message,
    ...(field !== undefined && { problems: [{ field, detail: message }] }),
    ...(RETRIED_SOON.has(code) && { retryAfterSeconds: 1 }),
    ...(resetsAt !== undefined && { retryAfterSeconds: Math.ceil((resetsAt - Date.now()) / 1_000) }),
  };
}
