/** Generates a value that fits a JSON Schema, for the scripted demo model. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { ReferenceIndex } from '../dialects/analysis/reference-index.ts';
import { checkJsonValue } from '../engine/compile-json-schema.ts';
import type { JsonValue } from '../../kit/json-value.ts';
import { sampleNumber } from './sample-number.ts';
import { sampleText } from './sample-text.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Depth limit: enough for hand-written schemas. An endless recursion becomes `null`. */
const MAX_DEPTH = 12;
/** Item limit: more than a person reads. A client's schema can request any number. */
const MAX_VALUES = 1_000;

/** Limit of all validations together, in units of `SchemaLimits.maxWork`: one validation's default. */
const MAX_WORK = 500_000;

interface Attempt {
  /** Of each `anyOf` or `oneOf`. */
  readonly branch: number;
  readonly usesExamples: boolean;
  /** True if objects have their optional members too. */
  readonly isWhole: boolean;
}

const ATTEMPTS: readonly Attempt[] = [0, 1, 2, 3].flatMap((branch) => [
  { branch, usesExamples: true, isWhole: false },
  { branch, usesExamples: false, isWhole: false },
]);

/** Generation state. */
interface Sampling extends Attempt {
  readonly references: ReferenceIndex;
  valuesLeft: number;
}

/** A value, and the units of work that its validations needed. */
interface CountedSample {
  readonly value: JsonValue;
  readonly work: number;
}

/**
 * Generates a value. The first that our own engine accepts is returned. For a schema with
 * contradictions or lookarounds, there might be none. The value is then a guess, which is validated
 * like any model's answer.
 */
export function sampleValue(schema: unknown, options?: SampleOptions): JsonValue {
  return sampleCounted(schema, options).value;
}

interface SampleOptions {
  /** True if optional members are wanted, for display. A recursive schema has none then. */
  readonly isWhole?: boolean;
}

/** Generates a value, and counts the work of all attempts together. */
export function sampleCounted(schema: unknown, { isWhole = false }: SampleOptions = {}): CountedSample {
  const references = new ReferenceIndex(schema);
  let guess: JsonValue | undefined;
  let work = 0;
  const attempts = isWhole ? [{ branch: 0, usesExamples: true, isWhole }, ...ATTEMPTS] : ATTEMPTS;
  for (const attempt of attempts) {
    const sampling = { ...attempt, references, valuesLeft: MAX_VALUES };
    const value = sampleAt(schema, sampling, 0, 0);
    if (!isRecord(schema)) return { value, work };
    const checked = checkJsonValue(schema, value, MAX_WORK - work);
    work += checked.work;
    if (checked.isValid) return { value, work };
    if (attempt.isWhole) continue;
    guess ??= value;
    // Too large, or too much work, to fit in any attempt.
    if (sampling.valuesLeft < 0 || work >= MAX_WORK) break;
  }
  return { value: guess ?? null, work };
}

function sampleAt(schema: unknown, sampling: Sampling, depth: number, variant: number): JsonValue {
  sampling.valuesLeft -= 1;
  if (schema === true) return 'sample';
  if (!isRecord(schema) || depth > MAX_DEPTH || sampling.valuesLeft < 0) return null;
  const stated = statedBy(schema, sampling, variant);
  if (stated !== undefined) return stated;
  const { $ref: reference, allOf } = schema;
  const inside = (child: unknown, childVariant = 0): JsonValue =>
    sampleAt(child, sampling, depth + 1, childVariant);
  if (typeof reference === 'string') return inside(sampling.references.find(reference)?.schema, variant);
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as readonly unknown[] | undefined;
  const chosen = choices?.[sampling.branch % choices.length];
  const parts = [
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
    ...(chosen === undefined ? [] : [chosen]),
  ];
  if (parts.length === 0) return byType(schema, sampling.isWhole, inside, variant);
  return inside(merge(schema, parts, sampling.references), variant);
}

function statedBy(schema: Keywords, { usesExamples }: Sampling, variant: number): JsonValue | undefined {
  const { const: constant, enum: choices, examples, default: given } = schema;
  const named = [constant, at(choices, variant)];
  return [...named, ...(usesExamples ? [at(examples, variant), variant === 0 ? given : undefined] : [])].find(
    isJson,
  );
}

/** Joins a schema with parts that apply too. Of two values of a keyword, the part's is kept. */
function merge(schema: Keywords, parts: readonly unknown[], references: ReferenceIndex): Keywords {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, ...own } = schema;
  return parts.reduce<Keywords>((joined, part) => {
    const found =
      isRecord(part) && typeof part['$ref'] === 'string' ? references.find(part['$ref'])?.schema : part;
    if (!isRecord(found)) return joined;
    return {
      ...joined,
      ...found,
      ...joinRecords('properties', joined, found),
      ...(Array.isArray(joined['required']) &&
        Array.isArray(found['required']) && {
          required: [...(joined['required'] as unknown[]), ...(found['required'] as unknown[])],
        }),
    };
  }, own);
}

function joinRecords(name: string, one: Keywords, other: Keywords): Keywords {
  const [first, second] = [one[name], other[name]];
  return isRecord(first) && isRecord(second) ? { [name]: { ...first, ...second } } : {};
}

type Sample = (child: unknown, variant?: number) => JsonValue;

function byType(schema: Keywords, isWhole: boolean, sample: Sample, variant: number): JsonValue {
  const { type = typeIn(schema) } = schema;
  const first: unknown = Array.isArray(type) ? type[0] : type;
  switch (first) {
    case 'object':
      return sampleObject(schema, isWhole, sample, variant);
    case 'array':
      return sampleArray(schema, sample);
    case 'integer':
    case 'number':
      return sampleNumber({ ...schema, type: first }, variant);
    case 'boolean':
      return variant % 2 === 0;
    case 'null':
      return null;
    default:
      return sampleText(schema, variant);
  }
}

function typeIn(schema: Keywords): string {
  if ('properties' in schema || 'required' in schema || 'minProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema || 'minItems' in schema) return 'array';
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? 'number' : 'string';
}

function sampleArray(schema: Keywords, sample: Sample): JsonValue {
  const { items = true, prefixItems, contains, minItems, maxItems } = schema;
  const fixed: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  const least =
    typeof minItems === 'number' ? minItems : items === false ? fixed.length : Math.max(1, fixed.length);
  const most = typeof maxItems === 'number' ? maxItems : MAX_VALUES;
  const length = Math.min(least, most, MAX_VALUES);
  const last = contains === undefined || fixed.length >= length ? -1 : length - 1;
  return Array.from({ length }, (_, index) =>
    sample(index === last ? contains : (fixed[index] ?? items), index),
  );
}

function sampleObject(schema: Keywords, isWhole: boolean, sample: Sample, variant: number): JsonValue {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const given: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const required = given.filter((name) => typeof name === 'string');
  const { minProperties, additionalProperties } = schema;
  const names = new Set(isWhole || required.length === 0 ? Object.keys(properties) : required);
  const shown = isWhole && names.size === 0 && isRecord(additionalProperties) ? 1 : 0;
  const least = Math.min(typeof minProperties === 'number' ? minProperties : shown, MAX_VALUES);
  for (const name of Object.keys(properties)) if (names.size < least) names.add(name);
  for (let index = 1; names.size < least; index++) names.add(`key${index}`);
  const rest = isRecord(additionalProperties) ? additionalProperties : true;
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      sample(Object.hasOwn(properties, name) ? properties[name] : rest, variant),
    ]),
  );
}

function at(list: unknown, index: number): unknown {
  return Array.isArray(list) ? (list as unknown[])[index % list.length] : undefined;
}

/** A schema is JSON, and so are its parts. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
