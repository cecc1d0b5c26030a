/** Object lowering: optional properties, and properties with arbitrary names. Pure. */
import { SchemaError } from '../../../errors/schema-error.ts';
import { isNever, isAssertion } from '../analysis/is-never.ts';
import { jsonTextOf, type InversePart, type Lowered, type LoweringPort } from './lowering-port.ts';
import { CONDITIONS, keepKeywords } from './keep-keywords.ts';
import { isUnion, nullable, writesNull } from '../analysis/nullable.ts';
import { applied, both, eachOther, eachProperty, toMap } from './object-inverse.ts';
import { isRecord } from '../../../kit/is-record.ts';
import { showPlace, type SchemaObject, type SchemaPath } from '../analysis/schema-place.ts';

/**
 * Key of the entries of a map that also has named properties. If it is taken, another free key is
 * used.
 */
const ENTRIES_KEY = 'additionalProperties';

const BOUNDS = [
  'minProperties',
  'maxProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  ...CONDITIONS,
];

interface ObjectParts {
  readonly properties: SchemaObject;
  readonly required: ReadonlySet<string>;
  /** Schema of properties with other names. Undefined if none is requested. */
  readonly rest: unknown;
  /** Schema of their names. */
  readonly names: unknown;
}

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
  const isNamed = Object.keys(properties ?? {}).length > 0 || required.size > 0;
  const rest = restOf(schema, isNamed, path, port);
  port.work.spend(3 + required.size, path);
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

/** Every name is a string, so such a schema adds nothing. */
function saysText(names: unknown): boolean {
  return isRecord(names) && Object.keys(names).every((keyword) => !isAssertion(keyword));
}

/** Returns the schema of additional properties. Undefined if none is requested. */
function restOf(schema: SchemaObject, isNamed: boolean, path: SchemaPath, port: LoweringPort): unknown {
  const { additionalProperties, patternProperties, properties } = schema;
  const patterns = isRecord(patternProperties)
    ? Object.values(patternProperties).filter((part) => !isNever(part))
    : [];
  // Some libraries write `true` for every object with named properties.
  const isOpen = additionalProperties === true && isNamed;
  if (isOpen && port.profile.maps === 'entries') {
    port.change([...path, 'additionalProperties'], 'additionalProperties', CLOSED_FORM);
  }
  const isSaid = isNamed || isRecord(properties) || patterns.length > 0;
  const further = isOpen ? false : (additionalProperties ?? !isSaid);
  if (patterns.length === 0) return isNever(further) ? undefined : further;
  port.lose(
    [...path, 'patternProperties'],
    'patternProperties',
    'any name is allowed a value that fits the schema of one pattern',
  );
  const values = isNever(further) ? patterns : [...patterns, further];
  return values.length === 1 ? values[0] : { anyOf: values };
}

const CLOSED_FORM = 'closed: only the named properties are requested';

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
    const fills = !isRequired && fillsOptional(schema, lowered, port);
    const keepsNull = fills && port.acceptsNull(schema) && writesNull(lowered.schema);
    if (keepsNull) {
      port.lose(place, 'required', 'absent and `null` cannot be distinguished: a `null` is kept');
    } else if (fills) absentAsNull.add(name);
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

/**
 * For a provider that limits optional properties, as many as needed become required ones that
 * accept `null`.
 */
function fillsOptional(schema: unknown, { schema: lowered }: Lowered, port: LoweringPort): boolean {
  if (port.profile.optional === 'required-nullable') return true;
  if (port.nullablesLeft === 0 || isUnion(lowered) || port.acceptsNull(schema)) return false;
  port.nullablesLeft -= 1;
  return true;
}

function refuseNever(path: SchemaPath): SchemaError {
  return new SchemaError(
    `No value fits the required property at ${showPlace(path)}, so no answer is possible. Remove it from \`required\`.`,
    { code: 'unsupported', path },
  );
}

function keepMap(
  schema: SchemaObject,
  { rest, names }: ObjectParts,
  named: NamedProperties,
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const isOpen = rest !== undefined;
  const isLeftOpen = !isOpen && isOpenBeside(schema, named);
  if (!isOpen && Object.keys(named.properties).length === 0 && !port.profile.emptyObjects) {
    return jsonTextOf([{}], keepKeywords(schema, BOUNDS, path, port), port.work);
  }
  const value = isOpen ? port.lower(rest, [...path, 'additionalProperties']) : undefined;
  if (names !== undefined) {
    port.lose([...path, 'propertyNames'], 'propertyNames', 'the provider does not enforce it for names');
  }
  const known = new Set(Object.keys(named.properties));
  return {
    schema: {
      type: 'object',
      ...keepKeywords(schema, BOUNDS, path, port),
      ...(known.size > 0 && { properties: named.properties }),
      ...(named.required.length > 0 && { required: named.required }),
      ...(!isLeftOpen && { additionalProperties: value?.schema ?? false }),
    },
    inverse: both(named.inverse, eachOther(known, value?.inverse)),
  };
}

/** Returns true if named properties exist and other names are not excluded. */
function isOpenBeside(schema: SchemaObject, { properties }: NamedProperties): boolean {
  const { additionalProperties, patternProperties, unevaluatedProperties, propertyNames } = schema;
  return (
    Object.keys(properties).length > 0 &&
    (additionalProperties === undefined || additionalProperties === true) &&
    [patternProperties, unevaluatedProperties, propertyNames].every((part) => part === undefined)
  );
}

/** Lowers a map without named properties to a list of the entries. */
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

/** Lowers a map with named properties: its entries become a list under a separate key. */
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
    inverse(value, work) {
      if (!isRecord(value)) return value;
      const { [key]: list, ...rest } = value;
      const further = applied(entries.inverse, list, work);
      const others = Object.entries(isRecord(further) ? further : {}).filter(
        ([name]) => !Object.hasOwn(parts.properties, name),
      );
      const properties = applied(named.inverse, rest, work);
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
    inverse: (list, work) => toMap(list, value.inverse, work),
  };
}
