/** Owns lowering arrays: lists, and tuples where a provider has none. Pure. */
import { isNever } from './is-never.ts';
import { jsonTextOf } from './json-text.ts';
import { keepKeywords } from './keep-keywords.ts';
import type { InversePart, Lowered, LoweringPort } from './lowering-port.ts';
import { isRecord, type SchemaObject, type SchemaPath } from './schema-place.ts';

const BOUNDS = [
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
];
/** Key of the items behind a tuple's positions. */
const REST = 'rest';

/** Lowers an array. */
export function lowerArray(schema: SchemaObject, path: SchemaPath, port: LoweringPort): Lowered {
  const isLegacy = Array.isArray(schema['items']);
  const prefixKeyword = isLegacy ? 'items' : 'prefixItems';
  const prefix = schema[prefixKeyword];
  if (Array.isArray(prefix) && prefix.length > 0) {
    const restKeyword = isLegacy ? 'additionalItems' : 'items';
    return lowerTuple(schema, { prefix, prefixKeyword, restKeyword }, path, port);
  }
  const items = isLegacy ? schema['additionalItems'] : schema['items'];
  if (isNever(items)) return jsonTextOf([[]], keepKeywords(schema, [], path, port));
  const lowered = port.lower(items ?? true, [...path, 'items']);
  return {
    schema: { type: 'array', ...keepKeywords(schema, BOUNDS, path, port), items: lowered.schema },
    inverse: eachItem(lowered.inverse),
  };
}

function eachItem(inverse: InversePart): InversePart {
  if (inverse === undefined) return undefined;
  return (value) => (Array.isArray(value) ? value.map((item: unknown) => inverse(item)) : value);
}

interface TupleParts {
  readonly prefix: readonly unknown[];
  readonly prefixKeyword: string;
  readonly restKeyword: string;
}

function lowerTuple(
  schema: SchemaObject,
  { prefix, prefixKeyword, restKeyword }: TupleParts,
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const rest = schema[restKeyword];
  const hasRest = rest !== undefined && !isNever(rest);
  if (port.profile.tuples === 'prefixItems') {
    const parts = prefix.map((part, index) => port.lower(part, [...path, prefixKeyword, index]));
    const restPart = hasRest ? port.lower(rest, [...path, restKeyword]) : undefined;
    const bounds = keepKeywords(schema, BOUNDS, path, port);
    return {
      schema: {
        type: 'array',
        ...bounds,
        minItems: bounds['minItems'] ?? prefix.length,
        ...(restPart === undefined ? { maxItems: prefix.length } : { items: restPart.schema }),
        prefixItems: parts.map((part) => part.schema),
      },
      inverse: eachPosition(
        parts.map(({ inverse }) => inverse),
        restPart?.inverse,
      ),
    };
  }
  const minItems = typeof schema['minItems'] === 'number' ? schema['minItems'] : prefix.length;
  const names = prefix.map((_, index) => String(index));
  const object = port.lower(
    {
      type: 'object',
      ...(typeof schema['description'] === 'string' && { description: schema['description'] }),
      properties: {
        ...Object.fromEntries(names.map((name, index) => [name, prefix[index]])),
        ...(hasRest && { [REST]: { type: 'array', items: rest } }),
      },
      required: [...names.slice(0, Math.max(minItems, 0)), ...(hasRest ? [REST] : [])],
      additionalProperties: false,
    },
    path,
  );
  return { schema: object.schema, inverse: (value) => toTuple(object.inverse?.(value) ?? value, names) };
}

function eachPosition(prefix: readonly InversePart[], rest: InversePart): InversePart {
  if (rest === undefined && prefix.every((part) => part === undefined)) return undefined;
  return (value) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => {
          const inverse = index < prefix.length ? prefix[index] : rest;
          return inverse === undefined ? item : inverse(item);
        })
      : value;
}

/** A position that is absent ends the tuple. */
function toTuple(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const end = names.findIndex((name) => !Object.hasOwn(value, name));
  const positions = names.slice(0, end === -1 ? names.length : end).map((name) => value[name]);
  const rest = value[REST];
  return end === -1 && Array.isArray(rest) ? [...positions, ...(rest as unknown[])] : positions;
}
