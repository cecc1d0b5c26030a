/** Owns the wire form of `response_format` and of its dry run. Pure. What is refused and why is for `format/` to say; this describes it. */
import { z } from 'zod';
import type { WireSchema } from '../wire-schema.ts';

/** What the answer must be: a JSON Schema whose root is an object. */
export interface JsonSchemaFormat {
  readonly type: 'json_schema';
  readonly json_schema: {
    /** 1 to 64 letters, digits, underscores and hyphens. */
    readonly name: string;
    /** At most 1,024 bytes. */
    readonly description?: string;
    /** At most 16 KiB of JSON. */
    readonly schema: Readonly<Record<string, unknown>>;
    /** Answers are always validated; `false` is refused. */
    readonly strict?: true;
  };
}

/** An ordinary turn, or one that ends with a validated answer. */
export type ResponseFormatBody = { readonly type: 'text' } | JsonSchemaFormat;

/** Bounds of a request that a client may lower, never raise. */
export interface RequestLimitsBody {
  /** Answers in text only, one after the other. @default 5 */
  readonly text_only?: number;
  /** Invalid submissions in all. @default 5 */
  readonly max_repairs?: number;
}

/** One reason why a body is refused. */
export interface Problem {
  /** The field of the body, such as `response_format.json_schema.name`; the header or the parameter where it is not in the body. */
  readonly field: string;
  readonly detail: string;
  /** JSON Pointer into the field. */
  readonly pointer?: string;
}

/** What a dry run found. */
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

/** Describes `response_format`. */
export const responseFormatBodySchema: WireSchema<ResponseFormatBody> = z
  .union([z.strictObject({ type: z.literal('text') }), jsonSchemaFormat])
  .meta({ ref: 'ResponseFormat' });

const bound = z.int().min(1).max(5).exactOptional();

/** Describes `limits`. */
export const requestLimitsBodySchema: WireSchema<RequestLimitsBody> = z
  .strictObject({ text_only: bound, max_repairs: bound })
  .meta({ ref: 'RequestLimits' });

/** Describes one problem. */
export const problemSchema: WireSchema<Problem> = z
  .strictObject({ field: z.string(), detail: z.string(), pointer: z.string().exactOptional() })
  .meta({ ref: 'Problem' });

/** What a dry run is asked with: anything, since what is wrong with it is the answer. */
export const dryRunBodySchema: WireSchema<{ readonly response_format?: unknown }> = z
  .strictObject({ response_format: z.unknown().exactOptional() })
  .meta({ ref: 'ValidateFormat' });

const place = { pointer: z.string(), keyword: z.string() };

/** Describes what a dry run found. */
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
