/**
 * Prompt sample: shows a model the shape of its answer, with places instead of values. A value that
 * fits the schema is made by `sampleValue()`. Pure.
 */
import type { JsonValue } from '../../kit/json-value.ts';
import { isRecord } from '../../kit/is-record.ts';
import { ReferenceIndex } from '../../schema/dialects/analysis/reference-index.ts';
import { escapeJson, PLACE } from '../../schema/told/told-text.ts';
import { treeSize } from '../../schema/work/work-budget.ts';

/** Deeper than this, or through a recursive reference, a sample would only repeat itself. */
const MAX_DEPTH = 5;

/**
 * Number of values after which no reference is followed. Definitions that refer to each other would
 * multiply.
 */
const MAX_VALUES = 2_000;

/** Number of values of a sample after which a part is only a place. */
const MAX_PLACES = 24;

/** The sample in progress. */
interface Building {
  readonly references: ReferenceIndex;
  /** Form of a value: a place, or the word for its type. */
  readonly shows: 'place' | 'word';
  values: number;
  hasPlace: boolean;
}

export interface SchemaSample {
  /** No JSON if a place is not a text, so that a model that repeats it has given no answer. */
  readonly text: string;
  /** Values of a model that fills in nothing: the places, or the words for the types. */
  readonly echoes: readonly JsonValue[];
}

/** A place without quotes, so that no model learns to quote its value. */
const BARE_PLACE = `\uE000${PLACE}`;

/** Returns a sample of the shape. An answer equals it only if no other answer exists. */
export function sampleOf(schema: unknown): SchemaSample {
  const building = startBuilding(schema, 'place');
  const value = buildRoot(schema, building);
  const text = escapeJson(JSON.stringify(value)).replaceAll(`"${BARE_PLACE}"`, PLACE);
  const words = (): JsonValue => buildRoot(schema, startBuilding(schema, 'word'));
  return { text, echoes: building.hasPlace ? [value, words()] : [] };
}

function startBuilding(schema: unknown, shows: Building['shows']): Building {
  return { references: new ReferenceIndex(schema), shows, values: 0, hasPlace: false };
}

function buildRoot(schema: unknown, building: Building): JsonValue {
  const isAnything = isRecord(schema) && Object.keys(schema).length === 0;
  return isAnything ? { key: place(building, PLACE, 'string') } : build(schema, building, 0);
}

function place(building: Building, sign: string, word: string): JsonValue {
  building.hasPlace = true;
  return building.shows === 'place' ? sign : word;
}

type Keywords = Readonly<Record<string, unknown>>;

function build(schema: unknown, building: Building, depth: number): JsonValue {
  building.values += 1;
  if (!isRecord(schema) || depth > MAX_DEPTH) return null;
  if (building.values > MAX_PLACES) return place(building, BARE_PLACE, PLACE);
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

/** A sample shows a value of an answer only if no other exists. */
function givenBy(schema: Keywords, building: Building): unknown {
  const { enum: options } = schema;
  const isOne = !Array.isArray(options) || options.length === 1;
  return (
    schema['const'] ??
    (isOne ? firstOf(options) : place(building, typeof options[0] === 'string' ? PLACE : BARE_PLACE, PLACE))
  );
}

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
      return place(building, PLACE, 'string');
    case 'number':
    case 'integer':
      return place(building, BARE_PLACE, 'number');
    case 'boolean':
      return place(building, BARE_PLACE, 'boolean');
    case 'array':
      return buildArray(schema, building, depth);
    case 'object':
      return buildObject(schema, building, depth);
    default:
      return isRecord(schema['properties']) ? buildTyped('object', schema, building, depth) : null;
  }
}

/** A tuple has each of the items, a list one. */
function buildArray({ items, prefixItems }: Keywords, building: Building, depth: number): JsonValue {
  const fixed: unknown = Array.isArray(items) ? items : prefixItems;
  const shown: readonly unknown[] = Array.isArray(fixed) ? fixed : items === undefined ? [] : [items];
  return shown.map((item) => build(item, building, depth + 1));
}

function buildObject(
  { properties, additionalProperties: rest }: Keywords,
  building: Building,
  depth: number,
): JsonValue {
  const members = isRecord(properties) ? Object.entries(properties) : [];
  const shown = members.length === 0 && isRecord(rest) ? [[PLACE, rest] as const] : members;
  return Object.fromEntries(shown.map(([key, value]) => [key, build(value, building, depth + 1)]));
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}
