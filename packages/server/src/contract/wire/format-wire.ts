/**
 * Zod schemas of `response_format` and of its dry run. Pure. The rules are in `format/`; this is
 * the description.
 */
import { z } from 'zod';
import type {
  DryRunView,
  JsonSchemaFormat,
  Problem,
  RequestLimitsBody,
  ResponseFormatBody,
} from '@truecast/client/internal/wire/response-format';
import { dialectSchema } from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';

export type { DryRunView, JsonSchemaFormat, Problem } from '@truecast/client/internal/wire/response-format';

const jsonSchemaFormat: WireSchema<JsonSchemaFormat> = z.strictObject({
  type: z.literal('json_schema'),
  json_schema: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u),
    description: z.string().exactOptional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.literal(true).exactOptional(),
  }),
});

/** Schema of `response_format`. */
export const responseFormatBodySchema: WireSchema<ResponseFormatBody> = z
  .union([z.strictObject({ type: z.literal('text') }), jsonSchemaFormat])
  .meta({ ref: 'ResponseFormat' });

const bound = z.int().min(1).max(5).exactOptional();

/** Schema of `limits`. */
export const requestLimitsBodySchema: WireSchema<RequestLimitsBody> = z
  .strictObject({
    text_only: bound,
    max_repairs: bound,
    deadline_seconds: z.int().min(1).max(86_400).exactOptional(),
  })
  .meta({ ref: 'RequestLimits' });

/** Schema of one problem. */
export const problemSchema: WireSchema<Problem> = z
  .strictObject({ field: z.string(), detail: z.string(), pointer: z.string().exactOptional() })
  .meta({ ref: 'Problem' });

/** Schema of a dry run's input: any value, because its problems are the result. */
export const dryRunBodySchema: WireSchema<{ readonly response_format?: unknown }> = z
  .strictObject({ response_format: z.unknown().exactOptional() })
  .meta({ ref: 'ValidateFormat' });

const place = { pointer: z.string(), keyword: z.string() };

/** Schema of a dry run's result. */
export const dryRunViewSchema: WireSchema<DryRunView> = z
  .strictObject({
    is_valid: z.boolean(),
    problems: z.array(problemSchema),
    dialects: z.array(
      z.strictObject({
        dialect: dialectSchema,
        is_taken: z.boolean(),
        losses: z.array(z.strictObject({ ...place, reason: z.string() })),
        changes: z.array(z.strictObject({ ...place, form: z.string() })),
      }),
    ),
  })
  .meta({ ref: 'FormatReport' });
