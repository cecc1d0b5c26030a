/** Submissions of the demo model: the first breaks one rule of the schema, the second is valid. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { ENVELOPE_KEY } from '@truecast/core/internal/schema/engine/embed-schema';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';

type JsonRecord = Readonly<Record<string, JsonValue>>;

/** Returns the arguments of a submission for the input schema of the finalizer tool. */
export function submission(inputSchema: unknown, { isValid }: { readonly isValid: boolean }): JsonRecord {
  const sampled = sampleValue(inputSchema);
  if (!isRecord(sampled)) return { [ENVELOPE_KEY]: sampled };
  const [key, schema] = answerSchema(inputSchema);
  const plain = key === undefined ? sampled : sampled[key];
  if (!isRecord(plain)) return sampled;
  const worded = withWords(plain, schema);
  const given = accepts(schema, worded) ? worded : plain;
  const submitted = isValid ? given : (broken(given, schema) ?? given);
  return key === undefined ? submitted : { ...sampled, [key]: submitted };
}

/** The answer can be wrapped in one member of the arguments. */
function answerSchema(inputSchema: unknown): readonly [string | undefined, unknown] {
  const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined;
  const wrapped = isRecord(properties) ? properties[ENVELOPE_KEY] : undefined;
  const isWrapper = isRecord(properties) && Object.keys(properties).length === 1 && isRecord(wrapped);
  return isWrapper ? [ENVELOPE_KEY, wrapped] : [undefined, inputSchema];
}

/** Replaces plain sample texts with the description or the name of their field. Examples stay. */
function withWords(value: JsonRecord, schema: unknown): JsonRecord {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const described = properties[name];
      // `sampleValue()` takes the first example.
      const isPlain =
        isRecord(described) &&
        described['type'] === 'string' &&
        !['enum', 'examples', 'format'].some((keyword) => keyword in described);
      return [name, isPlain ? wordsOf(name, described) : field];
    }),
  );
}

function wordsOf(name: string, { description }: Readonly<Record<string, unknown>>): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .replaceAll(/[_-]+/gu, ' ')
    .toLowerCase();
  return typeof description === 'string' && description !== '' ? description : `Example ${words}`;
}

/**
 * Returns a value with a string where a number is required, or else without a required field.
 * Undefined if neither breaks the schema.
 */
function broken(value: JsonRecord, schema: unknown): JsonRecord | undefined {
  const names = Object.keys(value);
  const asText = names
    .filter((name) => typeof value[name] === 'number')
    .map((name) => ({ ...value, [name]: 'twelve' }));
  const without = names.toReversed().map((name) => {
    const { [name]: _left, ...rest } = value;
    return rest;
  });
  return [...asText, ...without].find((candidate) => !accepts(schema, candidate));
}

function accepts(schema: unknown, value: JsonValue): boolean {
  if (!isRecord(schema)) return true;
  try {
    return compileJsonSchema(schema).validate(value).valid;
  } catch {
    // The engine rejected the schema. The value is submitted, and the server validates it.
    return true;
  }
}
