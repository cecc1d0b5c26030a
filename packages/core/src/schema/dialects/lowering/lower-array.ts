/** Array lowering: lists, and replacements for tuples. Pure. */
import { SchemaError } from '../../../errors/schema-error.ts';
import { isNever } from '../analysis/is-never.ts';
import { jsonTextOf, type InversePart, type Lowered, type LoweringPort } from './lowering-port.ts';
import { CONDITIONS, keepKeywords } from './keep-keywords.ts';
import { isRecord } from '../../../kit/is-record.ts';
import { showPlace, type SchemaObject, type SchemaPath } from '../analysis/schema-place.ts';

const JUDGED = ['uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems', ...CONDITIONS];
const BOUNDS = ['minItems', 'maxItems', ...JUDGED];
/** Key of the items after a tuple's positions. */
const REST = 'rest';

export function lowerArray(schema: SchemaObject, path: SchemaPath, port: LoweringPort): Lowered {
  const isLegacy = Array.isArray(schema['items']);
  const prefixKeyword = isLegacy ? 'items' : 'prefixItems';
  const prefix = schema[prefixKeyword];
  if (Array.isArray(prefix) && prefix.length > 0) {
    const restKeyword = isLegacy ? 'additionalItems' : 'items';
    return lowerTuple(schema, { prefix, prefixKeyword, restKeyword }, path, port);
  }
  const items = isLegacy ? schema['additionalItems'] : schema['items'];
  if (isNever(items)) return jsonTextOf([[]], keepKeywords(schema, [], path, port), port.work);
  const lowered = port.lower(items ?? true, [...path, 'items']);
  return {
    schema: { type: 'array', ...keepKeywords(schema, BOUNDS, path, port), items: lowered.schema },
    inverse: eachItem(lowered.inverse),
  };
}

function eachItem(inverse: InversePart): InversePart {
  if (inverse === undefined) return undefined;
  return (value, work) => (Array.isArray(value) ? value.map((item: unknown) => inverse(item, work)) : value);
}

interface TupleParts {
  readonly prefix: readonly unknown[];
  readonly prefixKeyword: string;
  readonly restKeyword: string;
}

function lowerTuple(
  schema: SchemaObject,
  { prefix: given, prefixKeyword, restKeyword }: TupleParts,
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  // The tuple ends before an item that cannot have a value.
  const end = given.findIndex(isNever);
  const prefix = end === -1 ? given : given.slice(0, end);
  if (prefix.length === 0) return jsonTextOf([[]], keepKeywords(schema, [], path, port), port.work);
  const rest = end === -1 ? schema[restKeyword] : false;
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
  port.change([...path, prefixKeyword], prefixKeyword, 'an object whose keys are the positions');
  return lowerPositions(schema, { prefix, rest: hasRest ? rest : undefined }, path, port);
}

/** Lowers a tuple for a provider without tuples: to an object whose keys are the positions. */
function lowerPositions(
  schema: SchemaObject,
  { prefix, rest }: { readonly prefix: readonly unknown[]; readonly rest: unknown },
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const minItems = typeof schema['minItems'] === 'number' ? schema['minItems'] : prefix.length;
  if (minItems > prefix.length && rest === undefined) throw refuseShort(path);
  const names = prefix.map((_, index) => String(index));
  const { description } = keepKeywords(schema, ['maxItems', ...JUDGED], path, port);
  const object = port.lower(
    {
      type: 'object',
      ...(description !== undefined && { description }),
      properties: {
        ...Object.fromEntries(names.map((name, index) => [name, prefix[index]])),
        ...(rest !== undefined && {
          [REST]: {
            type: 'array',
            items: rest,
            ...(minItems > prefix.length && { minItems: minItems - prefix.length }),
          },
        }),
      },
      required: [...names.slice(0, minItems), ...(rest === undefined ? [] : [REST])],
      additionalProperties: false,
    },
    path,
  );
  return {
    schema: object.schema,
    inverse: (value, work) =>
      toTuple(object.inverse === undefined ? value : object.inverse(value, work), names),
  };
}

function refuseShort(path: SchemaPath): SchemaError {
  return new SchemaError(
    `No value fits the tuple at ${showPlace(path)}: its \`minItems\` exceeds its number of items. Lower it.`,
    { code: 'unsupported', path },
  );
}

function eachPosition(prefix: readonly InversePart[], rest: InversePart): InversePart {
  if (rest === undefined && prefix.every((part) => part === undefined)) return undefined;
  return (value, work) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => {
          const inverse = index < prefix.length ? prefix[index] : rest;
          return inverse === undefined ? item : inverse(item, work);
        })
      : value;
}

/** A missing position ends the tuple. */
function toTuple(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const end = names.findIndex((name) => !Object.hasOwn(value, name));
  const positions = names.slice(0, end === -1 ? names.length : end).map((name) => value[name]);
  const rest = value[REST];
  return end === -1 && Array.isArray(rest) ? [...positions, ...(rest as unknown[])] : positions;
}
