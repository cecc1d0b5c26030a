/**
 * Refusals of a model service: the cause, from its status, its code and its text. Pure.
 *
 * Codes decide before texts. A text is read only for statuses with which services without a code
 * report that cause.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';

/** Why a service refused a request, or ended its reply with an error. */
export type RefusalCause =
  | 'key'
  | 'access'
  | 'unknown-model'
  | 'rate-limit'
  | 'quota'
  | 'context-full'
  | 'request-size'
  | 'loading'
  | 'overloaded'
  | 'slow'
  | 'service'
  | 'path'
  | 'refused';

export interface ServiceRefusal {
  readonly cause: RefusalCause;
  /** Absent for an error in a stream without one. */
  readonly statusCode?: number;
}

export interface RefusalFacts {
  readonly statusCode?: number | undefined;
  /** The service's own codes. */
  readonly codes: readonly unknown[];
  /** The service's text. */
  readonly text: string;
}

const BY_CODE: Readonly<Record<string, RefusalCause>> = {
  insufficient_quota: 'quota',
  billing_not_active: 'quota',
  overloaded_error: 'overloaded',
  rate_limit_exceeded: 'rate-limit',
  rate_limit_error: 'rate-limit',
  context_length_exceeded: 'context-full',
  exceed_context_size_error: 'context-full',
  string_above_max_length: 'context-full',
  request_too_large: 'request-size',
  model_not_found: 'unknown-model',
  invalid_api_key: 'key',
  authentication_error: 'key',
  UNAUTHENTICATED: 'key',
};
const BY_STATUS: Readonly<Record<number, RefusalCause>> = {
  401: 'key',
  402: 'quota',
  403: 'access',
  404: 'path',
  405: 'path',
  408: 'slow',
  409: 'service',
  410: 'path',
  413: 'request-size',
  425: 'service',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'slow',
  529: 'overloaded',
};

/** A text that names a cause, for the statuses with which it comes. The first one decides. */
const BY_TEXT: readonly {
  readonly cause: RefusalCause;
  readonly statuses: readonly number[];
  readonly text: RegExp;
}[] = [
  {
    cause: 'loading',
    statuses: [503],
    // In a JSON body: a proxy's page can say this of anything.
    text: /"[^"]*(?:\bloading (?:the )?model|\bmodel\b[^"]{0,120}\bloading\b|being loaded|warming up|not (?:yet )?ready)/iu,
  },
  {
    cause: 'path',
    statuses: [404, 405, 410],
    text: /\b(?:file|page|route|endpoint|path|url) not found|unexpected endpoint|cannot post/iu,
  },
  { cause: 'quota', statuses: [429], text: /insufficient_quota/u },
  {
    cause: 'quota',
    statuses: [400, 403],
    text: /credit balance|insufficient (?:credits?|funds|balance|quota)|billing (?:is )?not active/iu,
  },
  {
    cause: 'key',
    statuses: [400],
    text: /api[ _]?key.{0,20}(?:not valid|invalid|expired)|invalid api[ _]?key/iu,
  },
  {
    cause: 'context-full',
    statuses: [400, 413, 422, 500],
    text: /context.{0,5}(?:length|size|window)|(?:prompt|input) (?:is )?too long|too many (?:input )?tokens|input token count.{0,40}exceeds|\btokens?\b.{0,40}\bexceeds?\b/iu,
  },
  {
    cause: 'unknown-model',
    statuses: [400, 404, 422, 500],
    text: /\bmodels?\b.{0,120}?(?:not found|not exist|not loaded|is unknown)|(?:unknown|invalid|no such) model\b(?! (?:response|output))|not a valid model|no models? (?:is |are )?loaded|"model: /iu,
  },
  // A service that has the path, and another reason. The text of the error says it.
  { cause: 'refused', statuses: [404, 405, 410], text: /"error"\s*:\s*[{"]/u },
];

/** Returns the cause of a refusal. Undefined for a success. */
export function refusalCause({ statusCode, codes, text }: RefusalFacts): RefusalCause | undefined {
  const code = codes.find((each) => typeof each === 'string' && Object.hasOwn(BY_CODE, each));
  if (typeof code === 'string') return BY_CODE[code];
  if (statusCode === undefined || statusCode < 400) return undefined;
  const told = BY_TEXT.find((each) => each.statuses.includes(statusCode) && each.text.test(text));
  if (told !== undefined) return told.cause;
  return BY_STATUS[statusCode] ?? (statusCode >= 500 ? 'service' : 'refused');
}

/** Returns the refusal of an error of the AI SDK, or undefined if the service refused nothing. */
export function refusalIn(error: unknown): ServiceRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const statusCode = numberIn(Reflect.get(error, 'statusCode'));
  const body: unknown = Reflect.get(error, 'responseBody');
  const text = typeof body === 'string' ? body : '';
  const codes = [...codesIn(text), Reflect.get(error, 'code'), Reflect.get(error, 'type')];
  if (statusCode === undefined && !error.name.startsWith('AI_Stream')) return undefined;
  const cause = refusalCause({ statusCode, codes, text: `${error.message}\n${text}` });
  if (cause === undefined) return undefined;
  return statusCode === undefined ? { cause } : { cause, statusCode };
}

/** OpenAI uses `error.code`, Anthropic and llama.cpp `error.type`, Google `error.status`. */
export function codesIn(responseBody: string): readonly unknown[] {
  const body = parseJson(responseBody);
  const value = body.success && isRecord(body.value) ? body.value : {};
  const told = isRecord(value['error']) ? value['error'] : value;
  return [told['code'], told['type'], told['status']];
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
