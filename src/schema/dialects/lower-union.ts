/** Owns lowering alternatives, and telling which of them an answer took. Pure. */
import { isNever } from './is-never.ts';
import type { Lowered, LoweringPort } from './lowering-port.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { isRecord, type SchemaObject, type SchemaPath } from './schema-place.ts';

/** Lowers `anyOf`, or `oneOf` as `anyOf`; what stands beside it is put into each alternative. */
export function lowerUnion(
  schema: SchemaObject,
  keyword: 'anyOf' | 'oneOf',
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const { [keyword]: list, ...beside } = schema;
  const options = (Array.isArray(list) ? (list as unknown[]) : []).filter((option) => !isNever(option));
  if (keyword === 'oneOf' && !areDisjoint(options, path, port))
    port.lose([...path, keyword], keyword, 'an answer that fits several alternatives is not prevented');
  if (keyword === 'oneOf') port.change([...path, keyword], keyword, '`anyOf`');
  const { title, description, ...asserted } = beside;
  const branches = options.map((option, index) => {
    const place = [...path, keyword, index];
    return { original: withBeside(option, asserted, place, port), place };
  });
  const lowered = branches.map(({ original, place }) => ({ original, ...port.lower(original, place) }));
  const [only] = lowered;
  if (only !== undefined && lowered.length === 1) return only;
  return {
    schema: {
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      anyOf: lowered.flatMap(flatten),
    },
    inverse: lowered.every(({ inverse }) => inverse === undefined)
      ? undefined
      : (value) => chooseBranch(value, lowered, port),
  };
}

/** Alternatives within an alternative are alternatives of the whole, so that lowering again finds nothing to change. */
function flatten({ schema }: Lowered): readonly unknown[] {
  return Array.isArray(schema['anyOf']) && Object.keys(schema).length === 1
    ? (schema['anyOf'] as unknown[])
    : [schema];
}

function withBeside(option: unknown, beside: SchemaObject, path: SchemaPath, port: LoweringPort): unknown {
  const asserts = Object.keys(beside).some((keyword) => !NOT_BESIDE.has(keyword));
  if (!asserts) return option;
  const rest = Object.fromEntries(Object.entries(beside).filter(([keyword]) => !NOT_BESIDE.has(keyword)));
  if (!isRecord(option)) return rest;
  return '$ref' in option ? { allOf: [rest, option] } : mergeSchemas(option, rest, path, port);
}

/** Keywords that say nothing of the value; `nullable` and `discriminator` are OpenAPI's. */
const NOT_BESIDE: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $defs definitions default examples deprecated readOnly writeOnly discriminator'.split(
    ' ',
  ),
);

interface Branch extends Lowered {
  readonly original: unknown;
}

/** The first whose lowered form the answer has and whose own form its inverse has; else the first whose lowered form it has. */
function chooseBranch(value: unknown, branches: readonly Branch[], port: LoweringPort): unknown {
  const matching = branches.filter(({ schema }) => port.fitsLowered(schema, value));
  const candidates = matching.map(({ original, inverse }) => ({
    original,
    value: inverse === undefined ? value : inverse(value),
  }));
  const fitting = candidates.find((candidate) => port.fitsOriginal(candidate.original, candidate.value));
  return (fitting ?? candidates[0] ?? { value }).value;
}

/** Tells whether no value can fit two of the options: by their types, or by a property that each fixes to other values. */
function areDisjoint(options: readonly unknown[], path: SchemaPath, port: LoweringPort): boolean {
  const schemas = options.map((option) => follow(option, path, port, 20));
  const types = schemas.map(({ type }) => type);
  const isEachTyped = types.every((type) => typeof type === 'string');
  if (
    isEachTyped &&
    new Set(types).size === types.length &&
    !(types.includes('integer') && types.includes('number'))
  )
    return true;
  const [first] = schemas;
  const names = isRecord(first?.['properties']) ? Object.keys(first['properties']) : [];
  const fixed = schemas.map((schema) => literalsOf(schema));
  return isApart(fixed) || names.some((name) => isApart(schemas.map((schema) => fixedValues(schema, name))));
}

function follow(option: unknown, path: SchemaPath, port: LoweringPort, steps: number): SchemaObject {
  if (!isRecord(option)) return {};
  if (steps === 0 || !('$ref' in option)) return option;
  return follow(port.resolve(option['$ref'], path).schema, path, port, steps - 1);
}

function fixedValues(schema: SchemaObject, name: string): readonly unknown[] | undefined {
  const { properties, required } = schema;
  if (!isRecord(properties) || !Array.isArray(required) || !required.includes(name)) return undefined;
  const property = properties[name];
  return isRecord(property) ? literalsOf(property) : undefined;
}

function literalsOf(schema: SchemaObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  if (schema['type'] === 'null') return [null];
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined;
}

function isApart(lists: readonly (readonly unknown[] | undefined)[]): boolean {
  const texts = lists.flatMap((list) =>
    list === undefined ? [undefined] : list.map((value) => JSON.stringify(value)),
  );
  return !texts.includes(undefined) && new Set(texts).size === texts.length;
}
