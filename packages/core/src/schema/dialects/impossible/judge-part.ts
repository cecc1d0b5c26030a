/**
 * Judgement of one part of a schema: whether its keywords show that no JSON value fits. Keywords that
 * it does not know, such as `pattern`, count as fulfillable. Pure.
 */
import { isRecord } from '../../../kit/is-record.ts';
import { countCodePoints } from '../../engine/evaluation/code-points.ts';
import { isDeepEqual } from '../../engine/evaluation/deep-equal.ts';
import { isNever } from '../analysis/is-never.ts';
import type { SchemaObject } from '../analysis/schema-place.ts';
import { crossed, crossedNumbers, NO_VALUE, type DeadEnd, type PartsPort } from './bounds.ts';
import { judgeArrays, judgeObjects } from './judge-members.ts';

/** Parts that must all match. Further ones are not read. */
const MAX_PARTS = 32;

/** Returns why no value fits. Undefined if one could. */
export function judgePart(schema: SchemaObject, port: PartsPort): DeadEnd | undefined {
  const parts = conjunction(schema, port);
  port.spend(1 + (parts?.length ?? 0));
  if (parts === undefined) return NO_VALUE;
  // OpenAPI's keyword, which some readers honour.
  if (parts.some((part) => part['nullable'] === true)) return undefined;
  let kinds = ALL_KINDS;
  for (const part of parts) {
    kinds = inBoth(kinds, kindsOf(part));
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const options = part[keyword];
      if (!Array.isArray(options) || options.length === 0) continue;
      port.spend(options.length);
      for (const option of options) if (isRecord(option)) port.spend(valueLists(option).flat().length);
      const possible = options.filter((option) => !port.isImpossible(option));
      if (possible.length === 0) return noOption(options as unknown[], keyword);
      kinds = inBoth(kinds, new Set(possible.flatMap((option) => [...optionKinds(option)])));
    }
  }
  const lists = parts.flatMap(valueLists);
  if (lists.length > 0) return judgeListed({ lists, kinds, parts }, port);
  if (kinds.size === 0) return noKind(parts);
  let first: DeadEnd | undefined;
  for (const kind of kinds) {
    const deadEnd = judgeKind(kind, parts, port);
    if (deadEnd === undefined) return undefined;
    first ??= deadEnd;
  }
  return first;
}

/** Returns the schema, its `allOf` and its references. Undefined if one of them matches nothing. */
function conjunction(schema: SchemaObject, port: PartsPort): readonly SchemaObject[] | undefined {
  const parts = new Set<unknown>([schema]);
  const found: SchemaObject[] = [];
  for (const part of parts) {
    if (isNever(part)) return undefined;
    if (!isRecord(part) || found.length >= MAX_PARTS) continue;
    const target = '$ref' in part ? port.resolve(part['$ref']) : undefined;
    if (target !== undefined) parts.add(target);
    if ('$ref' in part && port.ignoresRefSiblings) continue;
    found.push(part);
    if (!Array.isArray(part['allOf'])) continue;
    port.spend(3 * part['allOf'].length);
    for (const member of part['allOf'] as unknown[]) parts.add(member);
  }
  return found;
}

function noOption(options: readonly unknown[], keyword: string): DeadEnd {
  return {
    why: 'none of its alternatives allows a value',
    cure: 'Correct one of them.',
    ...(options.length === 1 && { at: [keyword, 0], inner: options[0] }),
  };
}

function optionKinds(option: unknown): ReadonlySet<string> {
  if (!isRecord(option) || '$ref' in option || option['nullable'] === true) return ALL_KINDS;
  return valueLists(option)
    .map((list) => new Set(list.map(valueKind)))
    .reduce(inBoth, kindsOf(option));
}

interface ListedValues {
  readonly lists: readonly (readonly unknown[])[];
  readonly kinds: ReadonlySet<string>;
  readonly parts: readonly SchemaObject[];
}

function judgeListed({ lists, kinds, parts }: ListedValues, port: PartsPort): DeadEnd | undefined {
  const [first = [], ...others] = lists;
  const fits = (value: unknown): boolean => {
    // A comparison with the bounds reads four keywords of each part, and the characters of a text.
    port.spend(4 * parts.length + (typeof value === 'string' ? value.length : 0));
    return (
      kinds.has(valueKind(value)) &&
      others.every((list) => list.some((other) => isDeepEqual(value, other, port))) &&
      crossedBeside(value, parts) === undefined
    );
  };
  if (first.some(fits)) return undefined;
  return {
    why: 'none of its listed values fits its other keywords',
    cure: 'Correct `type`, `enum` or `const`.',
  };
}

/** Compares a listed value with the bounds beside it, as if it had its own bounds. */
function crossedBeside(value: unknown, parts: readonly SchemaObject[]): DeadEnd | undefined {
  // Libraries count UTF-16 units, JSON Schema counts characters.
  if (typeof value === 'string') {
    return crossed(
      [...parts, { minLength: countCodePoints(value), maxLength: value.length }],
      'minLength',
      'maxLength',
    );
  }
  if (typeof value === 'number') {
    return crossedNumbers([...parts, { minimum: value, maximum: value }], 'fraction');
  }
  return undefined;
}

function noKind(parts: readonly SchemaObject[]): DeadEnd {
  const foreign = parts
    .map(({ type }) => type)
    .find((type) => typeof type === 'string' && !ALL_KINDS.has(type) && type !== 'number');
  if (typeof foreign === 'string') {
    return { why: `JSON has no \`${foreign}\``, cure: CURES[foreign] ?? 'Request a type of JSON there.' };
  }
  return { why: 'its types exclude each other', cure: 'Correct one of them.' };
}

/** Remedies for the types of JavaScript that JSON lacks. */
const CURES: Readonly<Record<string, string>> = {
  date: 'Request a string there, such as `z.iso.datetime()`, and transform it.',
  bigint: 'Request a string of digits there, and transform it.',
  map: 'Request an object there, such as `z.record()`, and transform it.',
  set: 'Request an array there, and transform it.',
  undefined: 'Make it optional.',
};

function judgeKind(kind: string, parts: readonly SchemaObject[], port: PartsPort): DeadEnd | undefined {
  switch (kind) {
    case 'string':
      return crossed(parts, 'minLength', 'maxLength');
    case 'integer':
    case 'fraction':
      return crossedNumbers(parts, kind);
    case 'array':
      return judgeArrays(parts, port);
    case 'object':
      return judgeObjects(parts, port);
    default:
      return undefined;
  }
}

const KINDS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  string: ['string'],
  array: ['array'],
  object: ['object'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
};

const ALL_KINDS: ReadonlySet<string> = new Set(Object.values(KINDS_OF_TYPE).flat());

/** Returns the kinds that the keyword `type` allows. */
function kindsOf({ type }: SchemaObject): ReadonlySet<string> {
  if (type === undefined) return ALL_KINDS;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return new Set(names.flatMap((name) => KINDS_OF_TYPE[String(name)] ?? []));
}

function valueKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'fraction') : typeof value;
}

/** Returns the values of `const` and of `enum`. A value must be in both. */
function valueLists(schema: SchemaObject): readonly (readonly unknown[])[] {
  return [
    ...('const' in schema ? [[schema['const']]] : []),
    ...(Array.isArray(schema['enum']) ? [schema['enum'] as unknown[]] : []),
  ];
}

function inBoth(first: ReadonlySet<string>, second: ReadonlySet<string>): ReadonlySet<string> {
  return first === ALL_KINDS ? second : new Set([...first].filter((kind) => second.has(kind)));
}
