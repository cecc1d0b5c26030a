/** JSON Schema conversion for schemas of any library, without importing that library. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { cut, describeValue } from '../kit/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { JsonSchema } from './engine/read-schema.ts';

/** Remedies by vendor name, for libraries whose schemas cannot convert themselves. */
const VENDOR_HINTS: Readonly<Record<string, string>> = {
  zod: 'Update `zod` to 4.2 or later',
  valibot: 'Wrap it: `toStandardJsonSchema(schema)` of `@valibot/to-json-schema`',
  arktype: 'Update `arktype` to 2.1 or later',
  effect: 'Wrap it: `Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))`',
};

/** Maximum depth of the search for an inexpressible part. Schemas can refer to themselves. */
const MAX_PART_DEPTH = 16;

/**
 * Returns the JSON Schema (draft 2020-12) of the input that `schema` accepts, before transforms and
 * defaults.
 *
 * Uses the schema's own conversion: Standard JSON Schema (`~standard.jsonSchema`), else its
 * `toJsonSchema()`. Zod, ArkType and `jsonSchema()` work unchanged. Valibot must be wrapped with
 * its `toStandardJsonSchema()`, and Effect with its `toStandardSchemaV1()` and
 * `toStandardJSONSchemaV1()`. A TypeBox schema is a JSON Schema: wrap it with `jsonSchema()`.
 * Refinements and transforms are not expressed: validate with `schema` itself, and list them with
 * `findUnexpressed(schema)`.
 *
 * @throws UsageError `unsupported` if the schema, or a part of it, has no JSON Schema; the message
 *   names the part and a remedy
 * @example
 * ```ts
 * toJsonSchema(z.object({ title: z.string() })); // { type: 'object', properties: { title: { type: 'string' } }, … }
 * ```
 */
export function toJsonSchema(schema: StandardSchemaV1): JsonSchema {
  const convert = findConverter(schema);
  if (convert === undefined) throw refuseUnconvertible(schema);
  try {
    const converted = convert();
    if (typeof converted === 'boolean' || isRecord(converted)) return converted;
    throw new UsageError(
      `Expected the schema's converter to return a JSON Schema, got ${describeValue(converted)}.`,
      { code: 'unsupported' },
    );
  } catch (cause) {
    if (UsageError.isInstance(cause)) throw cause;
    throw refuseInexpressible(schema, cause);
  }
}

function findConverter(schema: unknown): (() => unknown) | undefined {
  if (!isRecord(schema)) return undefined;
  const standard = schema['~standard'];
  const converter = isRecord(standard) ? standard['jsonSchema'] : undefined;
  if (isRecord(converter)) {
    const { input } = converter;
    if (typeof input === 'function') {
      return (): unknown => Reflect.apply(input, converter, [{ target: 'draft-2020-12' }]);
    }
  }
  const own = schema['toJsonSchema'];
  return typeof own === 'function' ? (): unknown => Reflect.apply(own, schema, []) : undefined;
}

function refuseUnconvertible(schema: unknown): UsageError {
  const standard = isRecord(schema) ? schema['~standard'] : undefined;
  if (!isRecord(standard)) {
    return new UsageError(
      `Expected a Standard Schema, got ${describeValue(schema)}. Wrap a plain JSON Schema: \`jsonSchema(schema)\`.`,
      { code: 'unsupported' },
    );
  }
  const vendor = String(standard['vendor']);
  const hint =
    VENDOR_HINTS[vendor] ?? 'Give the schema a `~standard.jsonSchema`, or use `jsonSchema.unchecked<T>(…)`';
  return new UsageError(
    `Expected a schema that converts to JSON Schema, got one of \`${cut(vendor)}\` without \`~standard.jsonSchema\`. ${hint}.`,
    {
      code: 'unsupported',
    },
  );
}

function refuseInexpressible(schema: unknown, cause: unknown): UsageError {
  const part = findInexpressiblePart(schema, MAX_PART_DEPTH);
  const where = part.length === 0 ? '' : ` at \`${part.join('.')}\``;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new UsageError(
    `Expected a schema that JSON Schema can express, got a part${where} that it cannot: ${cut(why)}. Use a type that JSON can hold there (a string for a date or a bigint), and transform it.`,
    { code: 'unsupported', cause },
  );
}

/**
 * Libraries report why they fail, not where. Therefore the parts are tried individually, by Zod's
 * names for them.
 */
function findInexpressiblePart(schema: unknown, depth: number): string[] {
  if (depth === 0 || !isRecord(schema)) return [];
  const { shape, element, options } = schema;
  const parts = [
    ...(isRecord(shape) ? Object.entries(shape) : []),
    ...(Array.isArray(options)
      ? options.map((option: unknown, index): [string, unknown] => [String(index), option])
      : []),
    ['[]', element] as const,
  ];
  for (const [name, part] of parts) {
    if (isInexpressible(part)) return [name, ...findInexpressiblePart(part, depth - 1)];
  }
  return [];
}

function isInexpressible(part: unknown): boolean {
  try {
    findConverter(part)?.();
    return false;
  } catch {
    return true;
  }
}

/** ArkType schemas are functions. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') && value !== null && !Array.isArray(value)
  );
}
