/** Error bodies of OpenAI's services. Pure. */
import type { z } from 'zod';
import { firstFieldIssue } from './describe-issue.ts';
import type { ScriptedWireAnswer, WireError } from './model-wire.ts';
import { strictSchemaRefusal } from './strict-json-schema.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/u;

/** The service's type and code by status. */
const ERROR_KINDS: Readonly<Record<number, { readonly type: string; readonly code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

/** A 400 of the service. */
export function invalidRequest(message: string, param: string, code?: string): WireError {
  return { statusCode: 400, message, param, ...(code !== undefined && { code }) };
}

/** A 400 for a missing required field. */
export function missingParameter(param: string): WireError {
  return invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

/** A 400 for an invalid tool or format name, or undefined. */
export function refusedName(name: string | undefined, param: string): WireError | undefined {
  if (name === undefined) return missingParameter(param);
  return NAME.test(name)
    ? undefined
    : invalidRequest(
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`,
        param,
        'invalid_value',
      );
}

/** A function declaration, in either API. */
export interface FunctionDeclaration {
  readonly name?: string | undefined;
  readonly parameters?: unknown;
  readonly strict?: boolean | null | undefined;
}

/** A 400 for the parameters of a function, or undefined. */
export function refusedParameters(declaration: FunctionDeclaration, param: string): WireError | undefined {
  const { name = '', parameters, strict } = declaration;
  if (parameters === undefined || parameters === null) return undefined;
  const refusal = strict === true ? strictSchemaRefusal(parameters) : notAnObject(parameters);
  return refusal === undefined
    ? undefined
    : invalidRequest(
        `Invalid schema for function '${name}': ${refusal}`,
        param,
        'invalid_function_parameters',
      );
}

function notAnObject(parameters: unknown): string | undefined {
  const type: unknown =
    typeof parameters === 'object' && parameters !== null && 'type' in parameters ? parameters.type : 'None';
  return type === 'object'
    ? undefined
    : `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type)}"'.`;
}

/** A 400 for a body that does not match the request schema. */
export function refusedShape(error: z.ZodError, body: unknown): WireError {
  const { path, message, isMissing } = firstFieldIssue(error, body);
  const param = bracketPath(path);
  return isMissing
    ? missingParameter(param)
    : invalidRequest(`Invalid value for '${param}': ${message}.`, param, 'invalid_type');
}

/** Renders a path as the service does: `input[0].content`. */
function bracketPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

/** Builds an error response in the service's format. */
export function encodeOpenaiError(error: WireError): ScriptedWireAnswer {
  const { statusCode, message, param, code, retryAfterSeconds } = error;
  const fallback = statusCode < 500 ? 'invalid_request_error' : 'server_error';
  const kind = ERROR_KINDS[statusCode] ?? { type: fallback, code: null };
  return {
    statusCode,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: { error: { message, type: kind.type, param: param ?? null, code: code ?? kind.code } },
  };
}
