/** Union lowering: alternatives, and the one that an answer used. Pure. */
import { SchemaError } from '../../../errors/schema-error.ts';
import { isNever } from '../analysis/is-never.ts';
import type { Lowered, LoweringPort } from './lowering-port.ts';
import type { WorkBudget } from '../../work/work-budget.ts';
import { isRecord } from '../../../kit/is-record.ts';
import { showPlace, type SchemaObject, type SchemaPath } from '../analysis/schema-place.ts';

/** Lowers `anyOf`, or `oneOf` as `anyOf`. Keywords beside it are merged into each alternative. */
export function lowerUnion(
  schema: SchemaObject,
  keyword: 'anyOf' | 'oneOf',
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const { [keyword]: list, ...beside } = schema;
  const options = (Array.isArray(list) ? (list as unknown[]) : []).filter((option) => !isNever(option));
  if (keyword === 'oneOf' && !areDisjoint(options, path, port)) {
    port.lose([...path, keyword], keyword, 'an answer that fits several alternatives is not prevented');
  }
  if (keyword === 'oneOf') port.change([...path, keyword], keyword, '`anyOf`');
  if (options.length === 0) throw refuseEmpty(path);
  const { title, description, ...asserted } = beside;
  const shared = assertedOf(asserted);
  port.work.spend(options.length * 4, path);
  const branches = options.map((option, index) => {
    const place = [...path, keyword, index];
    return { original: withBeside(option, shared, place, port), place };
  });
  const lowered = branches.map(({ original, place }) => ({ original, ...port.lower(original, place) }));
  const [only] = lowered;
  if (only !== undefined && lowered.length === 1) return only;
  const isTurnedBack = lowered.some(({ inverse }) => inverse !== undefined);
  if (isTurnedBack) for (const branch of lowered) port.fit.register(branch.original, branch.schema);
  return {
    schema: {
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      anyOf: lowered.flatMap(flatten),
    },
    inverse: isTurnedBack ? (value, work) => chooseBranch(value, lowered, port, work) : undefined,
  };
}

/** Flattens nested alternatives, so that lowering again changes nothing. */
function flatten({ schema }: Lowered): readonly unknown[] {
  return Array.isArray(schema['anyOf']) && Object.keys(schema).length === 1
    ? (schema['anyOf'] as unknown[])
    : [schema];
}

/** Returns the assertions beside the alternatives. Undefined without any. */
function assertedOf(beside: SchemaObject): SchemaObject | undefined {
  const rest = Object.entries(beside).filter(([keyword]) => !NOT_BESIDE.has(keyword));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function withBeside(
  option: unknown,
  shared: SchemaObject | undefined,
  path: SchemaPath,
  port: LoweringPort,
): unknown {
  if (shared === undefined) return option;
  if (!isRecord(option)) return shared;
  return '$ref' in option ? port.conjunctions.join(shared, option) : port.merge(option, shared, path);
}

function refuseEmpty(path: SchemaPath): SchemaError {
  return new SchemaError(
    `No value fits the alternatives at ${showPlace(path)}, so no answer is possible. Remove them.`,
    { code: 'unsupported', path },
  );
}

/** Keywords that do not restrict the value. `nullable` and `discriminator` are from OpenAPI. */
const NOT_BESIDE: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $defs definitions default examples deprecated readOnly writeOnly discriminator'.split(
    ' ',
  ),
);

interface Branch extends Lowered {
  readonly original: unknown;
}

/**
 * Returns the first alternative whose lowered form matches the answer and whose original matches
 * its inverse. Otherwise returns the first whose lowered form matches.
 */
function chooseBranch(
  value: unknown,
  branches: readonly Branch[],
  { fit }: LoweringPort,
  work: WorkBudget,
): unknown {
  let first: { readonly value: unknown } | undefined;
  for (const { original, schema, inverse } of branches) {
    if (!fit.fitsLowered(schema, value, work)) continue;
    const candidate = inverse === undefined ? value : inverse(value, work);
    if (fit.fitsOriginal(original, candidate, work)) return candidate;
    first ??= { value: candidate };
  }
  return first === undefined ? value : first.value;
}

/**
 * Returns true if no value can match two of the options: because of their types, or of a property
 * with different fixed values.
 */
function areDisjoint(options: readonly unknown[], path: SchemaPath, port: LoweringPort): boolean {
  const schemas = options.map((option) => follow(option, path, port, 20));
  const types = schemas.map(({ type }) => type);
  const isEachTyped = types.every((type) => typeof type === 'string');
  if (
    isEachTyped &&
    new Set(types).size === types.length &&
    !(types.includes('integer') && types.includes('number'))
  ) {
    return true;
  }
  const [first] = schemas;
  const names = isRecord(first?.['properties']) ? Object.keys(first['properties']) : [];
  const fixed = schemas.map((schema) => literalsOf(schema));
  const requires = schemas.map(({ required }) => new Set(Array.isArray(required) ? required : []));
  port.work.spend(names.length * schemas.length, path);
  return (
    isApart(fixed) ||
    names.some((name) => isApart(schemas.map((schema, index) => fixedValues(schema, name, requires[index]))))
  );
}

function follow(option: unknown, path: SchemaPath, port: LoweringPort, steps: number): SchemaObject {
  if (!isRecord(option)) return {};
  if (steps === 0 || !('$ref' in option)) return option;
  return follow(port.resolve(option['$ref'], path).schema, path, port, steps - 1);
}

function fixedValues(
  { properties }: SchemaObject,
  name: string,
  required: ReadonlySet<unknown> | undefined,
): readonly unknown[] | undefined {
  if (!isRecord(properties) || required?.has(name) !== true) return undefined;
  const property = properties[name];
  return isRecord(property) ? literalsOf(property) : undefined;
}

function literalsOf(schema: SchemaObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  if (schema['type'] === 'null') return [null];
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined;
}

function isApart(lists: readonly (readonly unknown[] | undefined)[]): boolean {
  if (lists.includes(undefined)) return false;
  const texts = lists.flatMap((list) =>
    list === undefined ? [undefined] : list.map((value) => JSON.stringify(value)),
  );
  return !texts.includes(undefined) && new Set(texts).size === texts.length;
}
