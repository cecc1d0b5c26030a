/** Owns lowering objects: properties that may be absent, and properties of any name. Pure. */
import { SchemaError } from '../../errors/schema-error.ts';
import { acceptsNull } from './accepts-null.ts';
import { isNever } from './is-never.ts';
import { jsonTextOf } from './json-text.ts';
import { isAssertion, keepKeywords } from './keep-keywords.ts';
import type { InversePart, Lowered, LoweringPort } from './lowering-port.ts';
import { nullable, writesNull } from './nullable.ts';
import { isRecord, showPlace, type SchemaObject, type SchemaPath } from './schema-place.ts';

/** Entries of a map that has named properties too stand under this key, or one that is still free. */
const ENTRIES_KEY = 'additionalProperties';

const BOUNDS = [
  'minProperties',
  'maxProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
];

/** An object's parts, put in order. */
interface ObjectParts {
  readonly properties: SchemaObject;
  readonly required: ReadonlySet<string>;
  /** What properties of other names must fit; undefined where none is asked for. */
  readonly rest: unknown;
  /** What their names must fit. */
  readonly names: unknown;
}

/** Lowers an object. */
export function lowerObject(schema: SchemaObject, path: SchemaPath, port: LoweringPort): Lowered {
  const parts = readParts(schema, path, port);
  const named = lowerProperties(parts, path, port);
  if (port.profile.maps === 'kept') return keepMap(schema, parts, named, path, port);
  if (parts.rest === undefined) {
    const bounds = keepKeywords(schema, BOUNDS, path, port);
    return {
      schema: { type: 'object', ...bounds, ...close(named.properties, named.required) },
      inverse: named.inverse,
    };
  }
  const isMap = Object.keys(named.properties).length === 0;
  return isMap ? lowerMap(schema, parts, path, port) : lowerMixed(schema, parts, named, path, port);
}

function close(properties: SchemaObject, required: readonly string[]): SchemaObject {
  return { properties, required, additionalProperties: false };
}

function readParts(schema: SchemaObject, path: SchemaPath, port: LoweringPort): ObjectParts {
  const properties = isRecord(schema['properties']) ? schema['properties'] : undefined;
  const required = new Set<string>(
    Array.isArray(schema['required']) ? schema['required'].filter((name) => typeof name === 'string') : [],
  );
  const rest = restOf(schema, properties !== undefined || required.size > 0, path, port);
  const names = schema['propertyNames'];
  const finite = isRecord(names) && Array.isArray(names['enum']) ? names['enum'] : undefined;
  const known = finite?.every((name) => typeof name === 'string') === true ? finite : undefined;
  const others = [...(known ?? []), ...required].filter((name) => !Object.hasOwn(properties ?? {}, name));
  return {
    properties: {
      ...properties,
      ...Object.fromEntries(
        [...new Set(others)].map((name) => [name, rest ?? schema['additionalProperties'] ?? true]),
      ),
    },
    required,
    rest: known === undefined ? rest : undefined,
    names: known === undefined && !saysText(names) ? names : undefined,
  };
}

/** Every name is a string. */
function saysText(names: unknown): boolean {
  return isRecord(names) && Object.keys(names).every((keyword) => !isAssertion(keyword));
}

/** A schema that names properties and does not speak of others is not asked for others. */
function restOf(schema: SchemaObject, isNamed: boolean, path: SchemaPath, port: LoweringPort): unknown {
  const { additionalProperties, patternProperties } = schema;
  const patterns = isRecord(patternProperties)
    ? Object.values(patternProperties).filter((part) => !isNever(part))
    : [];
  // \`true\` is what leaving it out means; some libraries write it for every object.
  const isUnsaid = additionalProperties === undefined || (additionalProperties === true && isNamed);
  const further = isUnsaid ? !(isNamed || patterns.length > 0) : additionalProperties;
  if (patterns.length === 0) return isNever(further) ? undefined : further;
  port.lose(
    [...path, 'patternProperties'],
    'patternProperties',
    'any name may have a value that fits one of the patterns’ schemas',
  );
  const values = isNever(further) ? patterns : [...patterns, further];
  return values.length === 1 ? values[0] : { anyOf: values };
}

interface NamedProperties {
  readonly properties: SchemaObject;
  readonly required: readonly string[];
  readonly inverse: InversePart;
}

function lowerProperties(parts: ObjectParts, path: SchemaPath, port: LoweringPort): NamedProperties {
  const properties: [string, SchemaObject][] = [];
  const required: string[] = [];
  const inverses = new Map<string, InversePart>();
  const absentAsNull = new Set<string>();
  for (const [name, schema] of Object.entries(parts.properties)) {
    const place = [...path, 'properties', name];
    if (isNever(schema)) {
      if (parts.required.has(name)) throw refuseNever(place);
      continue;
    }
    const lowered = port.lower(schema, place);
    const isRequired = parts.required.has(name);
    const fills = !isRequired && port.profile.optional === 'required-nullable';
    const keepsNull = fills && acceptsNull(schema, port.root) && writesNull(lowered.schema);
    if (keepsNull) port.lose(place, 'required', 'absent and `null` cannot be told apart: a `null` stays');
    else if (fills) absentAsNull.add(name);
    if (fills) port.change(place, 'required', 'required, and `null` when absent');
    if (isRequired || fills) required.push(name);
    properties.push([name, fills ? nullable(lowered.schema) : lowered.schema]);
    if (lowered.inverse !== undefined) inverses.set(name, lowered.inverse);
  }
  return {
    properties: Object.fromEntries(properties),
    required,
    inverse: eachProperty(inverses, absentAsNull),
  };
}

function refuseNever(path: SchemaPath): SchemaError {
  return new SchemaError(
    `No value fits what is required at ${showPlace(path)}, so no answer can be asked for. Take it out of \`required\`.`,
    { code: 'unsupported', path },
  );
}

function eachProperty(
  inverses: ReadonlyMap<string, InversePart>,
  absentAsNull: ReadonlySet<string>,
): InversePart {
  if (inverses.size === 0 && absentAsNull.size === 0) return undefined;
  return (value) => {
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, member]) => member !== null || !absentAsNull.has(name))
        .map(([name, member]) => [name, applied(inverses.get(name), member)]),
    );
  };
}

function keepMap(
  schema: SchemaObject,
  { rest, names }: ObjectParts,
  named: NamedProperties,
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const isOpen = rest !== undefined;
  if (!isOpen && Object.keys(named.properties).length === 0 && !port.profile.emptyObjects)
    return jsonTextOf([{}], keepKeywords(schema, BOUNDS, path, port));
  const value = isOpen ? port.lower(rest, [...path, 'additionalProperties']) : undefined;
  if (names !== undefined)
    port.lose([...path, 'propertyNames'], 'propertyNames', 'the provider does not hold names to it');
  const known = new Set(Object.keys(named.properties));
  return {
    schema: {
      type: 'object',
      ...keepKeywords(schema, BOUNDS, path, port),
      ...(known.size > 0 && { properties: named.properties }),
      ...(named.required.length > 0 && { required: named.required }),
      additionalProperties: value?.schema ?? false,
    },
    inverse: both(named.inverse, eachOther(known, value?.inverse)),
  };
}

function eachOther(known: ReadonlySet<string>, inverse: InversePart): InversePart {
  if (inverse === undefined) return undefined;
  return (value) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, member]) => [name, known.has(name) ? member : inverse(member)]),
        )
      : value;
}

function both(first: InversePart, second: InversePart): InversePart {
  if (first === undefined || second === undefined) return first ?? second;
  return (value) => second(first(value));
}

/** A map alone is a list of its entries. */
function lowerMap(schema: SchemaObject, parts: ObjectParts, path: SchemaPath, port: LoweringPort): Lowered {
  const { minProperties, maxProperties, ...others } = schema;
  const list = {
    ...Object.fromEntries(Object.entries(others).filter(([keyword]) => !LIST_BOUNDS.has(keyword))),
    ...(minProperties !== undefined && { minItems: minProperties }),
    ...(maxProperties !== undefined && { maxItems: maxProperties }),
  };
  const bounds = keepKeywords(list, ['minItems', 'maxItems', ...BOUNDS], path, port);
  const entries = lowerEntries(parts, path, port);
  return { schema: { type: 'array', ...bounds, items: entries.schema }, inverse: entries.inverse };
}

const LIST_BOUNDS: ReadonlySet<string> = new Set(['minItems', 'maxItems']);

/** A map beside named properties is a list of entries under a key of its own. */
function lowerMixed(
  schema: SchemaObject,
  parts: ObjectParts,
  named: NamedProperties,
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  let key = ENTRIES_KEY;
  while (Object.hasOwn(parts.properties, key)) key = `_${key}`;
  const entries = lowerEntries(parts, path, port);
  const bounds = keepKeywords(schema, BOUNDS, path, port);
  return {
    schema: {
      type: 'object',
      ...bounds,
      ...close({ ...named.properties, [key]: { type: 'array', items: entries.schema } }, [
        ...named.required,
        key,
      ]),
    },
    inverse(value) {
      if (!isRecord(value)) return value;
      const { [key]: list, ...rest } = value;
      const further = applied(entries.inverse, list);
      const others = Object.entries(isRecord(further) ? further : {}).filter(
        ([name]) => !Object.hasOwn(parts.properties, name),
      );
      const properties = applied(named.inverse, rest);
      return Object.fromEntries([...others, ...Object.entries(isRecord(properties) ? properties : {})]);
    },
  };
}

function lowerEntries({ rest, names }: ObjectParts, path: SchemaPath, port: LoweringPort): Lowered {
  port.change(path, 'additionalProperties', 'a list of entries with `key` and `value`');
  const value = port.lower(rest, [...path, 'additionalProperties']);
  const place = [...path, 'propertyNames'];
  const key = keepKeywords(
    isRecord(names) ? names : {},
    isRecord(names) ? Object.keys(names).filter(isAssertion) : [],
    place,
    port,
  );
  return {
    schema: {
      type: 'object',
      ...close({ key: { type: 'string', ...key }, value: value.schema }, ['key', 'value']),
    },
    inverse: (list) => toMap(list, value.inverse),
  };
}

/** Of two entries with the same key the later counts, as in JSON text. */
function toMap(list: unknown, inverse: InversePart): unknown {
  if (!Array.isArray(list)) return list;
  const entries = list.filter(isRecord).filter(({ key }) => typeof key === 'string');
  if (entries.length < list.length) return list;
  return Object.fromEntries(
    entries.map(({ key, value }) => [String(key), inverse === undefined ? value : inverse(value)]),
  );
}

function applied(inverse: InversePart, value: unknown): unknown {
  return inverse === undefined ? value : inverse(value);
}
