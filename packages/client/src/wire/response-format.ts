/** Wire format of `response_format`, of its limits and of its dry run. */
import type { ServerProblem } from '@truecast/core/internal/errors/server-error';
import {
  anything,
  array,
  boolean,
  bounded,
  either,
  limited,
  literal,
  object,
  openOneOf,
  optional,
  record,
  string,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { DIALECT_NAMES } from './wire-codes.ts';

const formatMembers = {
  type: literal('json_schema'),
  json_schema: object({
    /** 1 to 64 letters, digits, underscores and hyphens. */
    name: limited({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    /** At most 1,024 bytes. */
    description: optional(string),
    /** At most 16 KiB of JSON. */
    schema: record,
    /** Answers are always validated. `false` is refused. */
    strict: optional(literal(true)),
  }),
};
/** Response format: a JSON Schema whose root is an object. */
export interface JsonSchemaFormat extends ObjectOf<typeof formatMembers> {}
const jsonSchemaFormat: Shape<JsonSchemaFormat> = object(formatMembers);

export const responseFormatBody = either(
  [object({ type: literal('text') }), jsonSchemaFormat],
  'ResponseFormat',
);
/** An ordinary turn, or one that ends with a validated answer. */
export type ResponseFormatBody = Of<typeof responseFormatBody>;

const bound = optional(bounded('integer', { min: 1, max: 5 }));
const limitMembers = {
  /** Consecutive text-only answers. @default 5 */
  text_only: bound,
  /** Total invalid submissions. @default 5 */
  max_repairs: bound,
  /**
   * Seconds from the acceptance of the request after which it fails, its time in the queue and waits
   * for a failing model included. 1 to 86400. @default none
   */
  deadline_seconds: optional(bounded('integer', { min: 1, max: 86_400 })),
};
/** Limits of a request. A client can lower the defaults, but not raise them. */
export interface RequestLimitsBody extends ObjectOf<typeof limitMembers> {}
export const requestLimitsBody: Shape<RequestLimitsBody> = object(limitMembers, 'RequestLimits');

const problemMembers = {
  /**
   * Field of the body, such as `response_format.json_schema.name`, or the name of a header or
   * parameter.
   */
  field: string,
  detail: string,
  /** JSON Pointer into the field. */
  pointer: optional(string),
};
/** One problem of a request. */
export interface Problem extends ObjectOf<typeof problemMembers> {}
export const problem: Shape<Problem> = object(problemMembers, 'Problem');

/** The members of a problem document that the client uses. Its code can be one of a newer server. */
export const serverProblem: Shape<ServerProblem> = object({
  code: string,
  detail: string,
  field: optional(string),
  problems: optional(array(problem)),
  http_request_id: optional(string),
});

export const dialectName = openOneOf(...Object.values(DIALECT_NAMES));
/** A provider's schema mode. */
export type DialectName = Of<typeof dialectName>;

/** Any value: its problems are the result of the dry run. */
export const dryRunBody = object({ response_format: optional(anything) }, 'ValidateFormat');

const place = { pointer: string, keyword: string };
const dryRunMembers = {
  is_valid: boolean,
  problems: array(problem),
  dialects: array(
    object({
      dialect: dialectName,
      is_taken: boolean,
      losses: array(object({ ...place, reason: string })),
      changes: array(object({ ...place, form: string })),
    }),
  ),
};
/** Result of a dry run. */
export interface DryRunView extends ObjectOf<typeof dryRunMembers> {}
export const dryRunView: Shape<DryRunView> = object(dryRunMembers, 'FormatReport');
