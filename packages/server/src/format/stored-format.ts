/** Storage format of a request's response format, on the user's message. Pure. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import {
  compileJsonSchema,
  type JsonSchemaValidator,
} from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { RequestLimits, ResponseFormatPart } from '@truecast/client/internal/wire/message-parts';
import type { ResponseFormat } from './parse-response-format.ts';
import { CLIENT_SCHEMA_LIMITS } from './schema-problems.ts';

/** A stored format with its compiled validator. */
export interface StoredFormat {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly validator: JsonSchemaValidator;
}

/** Size of the envelope around a wrapped root, on top of the maximum schema size. */
const STORED_LIMITS = { ...CLIENT_SCHEMA_LIMITS, maxBytes: 4 * (CLIENT_SCHEMA_LIMITS.maxBytes ?? 0) };

/** Creates the part for the user's message. */
export function toFormatPart(
  { name, description, schema }: ResponseFormat,
  { requestId, limits }: { readonly requestId: string; readonly limits: RequestLimits },
): ResponseFormatPart {
  return {
    type: 'response_format',
    request_id: requestId,
    name,
    ...(description !== undefined && { description }),
    schema_text: JSON.stringify(schema),
    limits,
  };
}

/**
 * Returns undefined for an unusable format: the request fails and never becomes an ordinary turn.
 */
export function readFormatPart({
  name,
  description,
  schema_text,
}: ResponseFormatPart): StoredFormat | undefined {
  const parsed = parseJson(schema_text);
  if (!parsed.success) return undefined;
  try {
    // The compiler decides if it is a schema.
    const schema = parsed.value as JsonSchema;
    const validator = compileJsonSchema(schema, STORED_LIMITS);
    return { name, schema, validator, ...(description !== undefined && { description }) };
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}
