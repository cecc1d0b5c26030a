/** Generates sample values from simple JSON Schemas for the scripted demo model. Pure. */
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { ReferenceIndex } from '@truecast/core/internal/schema/dialects/analysis/reference-index';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';

type Keywords = Readonly<Record<string, unknown>>;

/** Depth limit: enough for hand-written schemas. An endless recursion becomes `null`. */
const MAX_DEPTH = 12;
/** Item limit: more than a person reads. A client's schema can request any number. */
const MAX_VALUES = 1_000;
const MAX_TEXT_CHARS = 10_000;

/** Generation state. */
interface Sampling {
  readonly references: ReferenceIndex;
  valuesLeft: number;
}

/**
 * Generates a value. Unsupported keywords (patterns, combinations) can make it invalid; it is
 * validated like any model's answer.
 */
export function sampleValue(schema: unknown): JsonValue {
  return sampleAt(schema, { references: new ReferenceIndex(schema), valuesLeft: MAX_VALUES }, 0);
}

function sampleAt(schema: unknown, sampling: Sampling, depth: number): JsonValue {
  sampling.valuesLeft -= 1;
  if (!isRecord(schema) || depth > MAX_DEPTH || sampling.valuesLeft < 0) return null;
  const { const: constant, examples, enum: choices, default: given, $ref: reference } = schema;
  const stated = [constant, firstOf(examples), firstOf(choices), given].find(isJson);
  if (stated !== undefined) return stated;
  const inside = (child: unknown): JsonValue => sampleAt(child, sampling, depth + 1);
  if (typeof reference === 'string') return inside(sampling.references.find(reference)?.schema);
  const first = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(Array.isArray);
  return first === undefined ? byType(schema, inside) : inside(first[0]);
}

function byType(schema: Keywords, sample: (child: unknown) => JsonValue): JsonValue {
  const { type = 'properties' in schema ? 'object' : 'string' } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return sampleObject(schema, sample);
    case 'array':
      return Array.from({ length: Math.min(numberOf(schema, 'minItems') ?? 1, MAX_VALUES) }, () =>
        sample(schema['items']),
      );
    case 'integer':
    case 'number':
      return numberOf(schema, 'minimum') ?? Math.min(42, numberOf(schema, 'maximum') ?? 42);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(schema);
  }
}

function sampleObject(schema: Keywords, sample: (child: unknown) => JsonValue): JsonValue {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties).filter((name) => required.length === 0 || required.includes(name));
  return Object.fromEntries(names.map((name) => [name, sample(properties[name])]));
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function sampleText(schema: Keywords): string {
  const { format } = schema;
  if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format];
  const text = 'sample'.padEnd(Math.min(numberOf(schema, 'minLength') ?? 0, MAX_TEXT_CHARS), '.');
  return text.slice(0, numberOf(schema, 'maxLength') ?? text.length);
}

function numberOf(schema: Keywords, name: string): number | undefined {
  const value = schema[name];
  return typeof value === 'number' ? value : undefined;
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? (list as unknown[])[0] : undefined;
}

/** A schema is JSON, and so are its parts. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
