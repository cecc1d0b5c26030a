/**
 * Wire format of `response_format` and of its dry run. Pure. The rules are in `format/`; this is
 * the description.
 */
import { z } from 'zod';
import type { WireSchema } from '../wire-schema.ts';

/** Response format: a JSON Schema whose root is an object. */
export interface JsonSchemaFormat {
  readonly type: 'json_schema';
  readonly json_schema: {
    /** 1 to 64 letters, digits, underscores and hyphens. */
    readonly name: string;
    /** At most 1,024 bytes. */
    readonly description?: string;
    /** At most 16 KiB of JSON. */
    readonly schema: Readonly<Record<string, unknown>>;
    /** Answers are always validated. `false` is refused. */
    readonly strict?: true;
  };
}

/** An ordinary turn, or one that ends with a validated answer. */
export type ResponseFormatBody = { readonly type: 'text' } | JsonSchemaFormat;

/** Limits of a request. A client can lower them, but not raise them. */
export interface RequestLimitsBody {
  /** Consecutive text-only answers. @default 5 */
  readonly text_only?: number;
  /** Total invalid submissions. @default 5 */
  readonly max_repairs?: number;
}

/** One problem of a request. */
export interface Problem {
  /**
   * Field of the body, such as `response_format.json_schema.name`, or the name of a header or
   * parameter.
   */
  readonly field: string;
  readonly detail: string;
  /** JSON Pointer into the field. */
  readonly pointer?: string;
}

/** Result of a dry run. */
export interface DryRunView {
  readonly is_valid: boolean;
  readonly problems: readonly Problem[];
  readonly dialects: readonly {
    readonly dialect: string;
    readonly is_taken: boolean;
    readonly losses: readonly {
      readonly pointer: string;
      readonly keyword: string;
      readonly reason: string;
    }[];
    readonly changes: readonly {
      readonly pointer: string;
      readonly keyword: string;
      readonly form: string;
    }[];
  }[];
}

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
  .strictObject({ text_only: bound, max_repairs: bound })
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
        dialect: z.string(),
        is_taken: z.boolean(),
        losses: z.array(z.strictObject({ ...place, reason: z.string() })),
        changes: z.array(z.strictObject({ ...place, form: z.string() })),
      }),
    ),
  })
  .meta({ ref: 'FormatReport' });
