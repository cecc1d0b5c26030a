/**
 * Schema example: generates one value of a JSON Schema's shape, for display. It can violate limits
 * of the schema. Pure.
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
  values: number;
}

/** Returns an example of the shape. A part that an example cannot show is `null`. */
export function exampleOf(schema: unknown): JsonValue {
  return isRecord(schema) && Object.keys(schema).length === 0
    ? { key: 'value' }
    : build(schema, { references: new ReferenceIndex(schema), values: 0 }, 0);
}

type Keywords = Readonly<Record<string, unknown>>;

function build(schema: unknown, building: Building, depth: number): JsonValue {
  building.values += 1;
  if (!isRecord(schema) || depth > MAX_DEPTH) return null;
  const given = [
    schema['const'],
    firstOf(schema['examples']),
    firstOf(schema['enum']),
    schema['default'],
  ].find((value) => value !== undefined);
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
      return 'text';
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? Math.max(schema['minimum'], 1) : 1;
    case 'boolean':
      return true;
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
