/**
 * Schema example: generates one value of a JSON Schema's shape, for display. It can violate limits
 * of the schema. A sample shows places instead of values. Pure.
 */
import type { JsonValue } from '../../schema/json-value.ts';
import { isRecord } from '../../errors/base/is-record.ts';
import { ReferenceIndex } from '../../schema/dialects/analysis/reference-index.ts';
import { treeSize } from '../../schema/work/tree-size.ts';

/** Deeper than this, or through a recursive reference, an example would only repeat itself. */
const MAX_DEPTH = 5;

/**
 * Number of values after which no reference is followed. Definitions that refer to each other would
 * multiply.
 */
const MAX_VALUES = 2_000;

/** The example in progress. */
interface Building {
  readonly references: ReferenceIndex;
  /** Places instead of values. */
  readonly isSample: boolean;
  values: number;
  hasPlace: boolean;
}

/** A sample for a prompt. */
export interface SchemaSample {
  readonly value: JsonValue;
  /** No JSON if a place is not a text, so that a model that repeats it has given no answer. */
  readonly text: string;
  /** False if the schema names each value, so that there is nothing else to answer. */
  readonly hasPlace: boolean;
}

/** The place of a text in a sample. A model that repeats it wrote nothing itself. */
export const TEXT_PLACE = '…';
/** Places that are written without quotes, so that no model learns to quote their values. */
const NUMBER_PLACE = '\uE000…';
const BOOLEAN_PLACE = '\uE000true or false';
const UNQUOTED = /"\uE000([^"]+)"/gu;

/** Returns a sample of the shape. Unlike an example, no answer equals it. */
export function sampleOf(schema: unknown): SchemaSample {
  const building = startBuilding(schema, true);
  const value = buildRoot(schema, building);
  const text = JSON.stringify(value).replaceAll(UNQUOTED, '$1');
  return { value, text, hasPlace: building.hasPlace };
}

/** Returns an example of the shape. A part that an example cannot show is `null`. */
export function exampleOf(schema: unknown): JsonValue {
  return buildRoot(schema, startBuilding(schema, false));
}

function startBuilding(schema: unknown, isSample: boolean): Building {
  return { references: new ReferenceIndex(schema), isSample, values: 0, hasPlace: false };
}

function buildRoot(schema: unknown, building: Building): JsonValue {
  const isAnything = isRecord(schema) && Object.keys(schema).length === 0;
  return isAnything ? { key: place(building, TEXT_PLACE, 'value') } : build(schema, building, 0);
}

/** Returns the place in a sample, or the value in an example. */
function place(building: Building, shown: string, value: JsonValue): JsonValue {
  building.hasPlace = true;
  return building.isSample ? shown : value;
}

type Keywords = Readonly<Record<string, unknown>>;

function build(schema: unknown, building: Building, depth: number): JsonValue {
  building.values += 1;
  if (!isRecord(schema) || depth > MAX_DEPTH) return null;
  const given = givenBy(schema, building);
  if (given !== undefined) return showGiven(given, building);
  const { $ref } = schema;
  if (typeof $ref === 'string' && building.values > MAX_VALUES) return null;
  const referenced = typeof $ref === 'string' ? building.references.find($ref)?.schema : undefined;
  if (referenced !== undefined) return build(referenced, building, depth + 1);
  const branch = firstOf(schema['anyOf']) ?? firstOf(schema['oneOf']) ?? firstOf(schema['allOf']);
  if (branch !== undefined && schema['type'] === undefined) return build(branch, building, depth + 1);
  return buildTyped(
    Array.isArray(schema['type']) ? schema['type'][0] : schema['type'],
    schema,
    building,
    depth,
  );
}

/** A sample shows no value that an answer could have, unless there is no other. */
function givenBy(schema: Keywords, building: Building): unknown {
  const { enum: options } = schema;
  if (!building.isSample)
    return [schema['const'], firstOf(schema['examples']), firstOf(options), schema['default']].find(
      (value) => value !== undefined,
    );
  const isOne = !Array.isArray(options) || options.length === 1;
  return schema['const'] ?? (isOne ? firstOf(options) : place(building, choicePlace(options), null));
}

/** Names the options if they are few and short. */
function choicePlace(options: readonly unknown[]): string {
  const named = options.map(String).join(' | ');
  return named.length <= MAX_CHOICE_CHARS ? named : 'one of the listed values';
}

const MAX_CHOICE_CHARS = 60;

/** Returns a value that the schema names. A large one is shown as long as there is room. */
function showGiven(value: unknown, building: Building): JsonValue {
  const size = treeSize(value, MAX_GIVEN);
  building.values += size;
  const isShown = size <= MAX_GIVEN && (building.values <= MAX_GIVEN || size <= 2);
  // A part of a schema is JSON.
  return isShown ? (value as JsonValue) : null;
}

/** Maximum of values and sixteenths of text from the schema's own constants and defaults. */
const MAX_GIVEN = 20_000;

function buildTyped(type: unknown, schema: Keywords, building: Building, depth: number): JsonValue {
  switch (type) {
    case 'string':
      return place(building, TEXT_PLACE, 'text');
    case 'number':
    case 'integer':
      return place(
        building,
        NUMBER_PLACE,
        typeof schema['minimum'] === 'number' ? Math.max(schema['minimum'], 1) : 1,
      );
    case 'boolean':
      return place(building, BOOLEAN_PLACE, true);
    case 'array':
      return schema['items'] === undefined ? [] : [build(schema['items'], building, depth + 1)];
    case 'object': {
      const properties = isRecord(schema['properties']) ? schema['properties'] : {};
      return Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, build(value, building, depth + 1)]),
      );
    }
    default:
      return isRecord(schema['properties']) ? buildTyped('object', schema, building, depth) : null;
  }
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}
