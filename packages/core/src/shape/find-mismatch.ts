/**
 * Reader of received values: names the first member that does not have its shape. It accepts members of
 * a newer writer and, where a shape is open, its texts and objects. Pure.
 */
import { describeValue } from '../kit/describe-value.ts';
import { isRecord } from '../kit/is-record.ts';
import { showPath } from '../json/show-path.ts';
import type { Form, Members, Shape } from './shape.ts';

/** The first wrong member of a value. */
export interface Mismatch {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly actual: unknown;
}

/** Returns the first wrong member, or undefined if the value has the shape. */
export function findMismatch({ is }: Shape<unknown>, value: unknown): Mismatch | undefined {
  switch (is.type) {
    case 'array':
      return Array.isArray(value) ? itemMismatch(is.item, value) : wrong(is, value);
    case 'object':
      return isRecord(value) ? memberMismatch(is.members, value) : wrong(is, value);
    case 'tagged':
      return isRecord(value) ? caseMismatch(is, value) : wrong(is, value);
    default:
      return isSimple(is, value) ? undefined : wrong(is, value);
  }
}

/** Returns true if the value has the shape, and gives it its type. */
export function hasShape<T>(shape: Shape<T>, value: unknown): value is T {
  return findMismatch(shape, value) === undefined;
}

/** Describes a mismatch in one clause. */
export function describeMismatch({ path, expected, actual }: Mismatch): string {
  const where = path.length === 0 ? '' : ` at \`${showPath(path)}\``;
  return `expected ${expected}${where}, got ${describeValue(actual)}`;
}

type Tagged = Extract<Form, { readonly type: 'tagged' }>;
type Simple = Exclude<Form, { readonly type: 'array' | 'object' | 'tagged' }>;
type JsonObject = Readonly<Record<string, unknown>>;

function isSimple(is: Simple, value: unknown): boolean {
  switch (is.type) {
    case 'anything':
      return true;
    case 'nothing':
      return value === undefined;
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'literal':
      return value === is.value;
    case 'enum':
      return typeof value === 'string' && (is.open === true || is.values.includes(value));
    case 'record':
      // A newer writer can have other values under other keys.
      return isRecord(value);
    case 'either':
      return is.cases.some((each) => findMismatch(each, value) === undefined);
    default:
      return typeof value === is.type;
  }
}

function memberMismatch(members: Members, value: JsonObject): Mismatch | undefined {
  for (const key in members) {
    const member = members[key];
    if (member === undefined) continue;
    const isOptional = 'optional' in member;
    if (!Object.hasOwn(value, key)) {
      if (isOptional) continue;
      return { path: [key], expected: 'a value', actual: undefined };
    }
    const found = findMismatch(isOptional ? member.optional : member, value[key]);
    if (found !== undefined) return below(key, found);
  }
  return undefined;
}

function itemMismatch(item: Shape<unknown>, value: readonly unknown[]): Mismatch | undefined {
  for (const [index, each] of value.entries()) {
    const found = findMismatch(item, each);
    if (found !== undefined) return below(index, found);
  }
  return undefined;
}

function caseMismatch(is: Tagged, value: JsonObject): Mismatch | undefined {
  const { type } = value;
  const known = typeof type === 'string' && Object.hasOwn(is.cases, type) ? is.cases[type] : undefined;
  if (known !== undefined) return findMismatch(known, value);
  if (is.open === true && typeof type === 'string') return undefined;
  return { path: ['type'], expected: oneOfThe(Object.keys(is.cases)), actual: type };
}

function below(key: string | number, found: Mismatch): Mismatch {
  return { ...found, path: [key, ...found.path] };
}

function wrong(is: Form, actual: unknown): Mismatch {
  return { path: [], expected: wordsOf(is), actual };
}

function wordsOf(is: Form): string {
  switch (is.type) {
    case 'array':
    case 'integer':
      return `an ${is.type}`;
    case 'record':
    case 'object':
    case 'tagged':
      return 'an object';
    case 'nothing':
      return 'no content';
    case 'literal':
      return oneOfThe([is.value]);
    case 'enum':
      return is.open === true ? 'a string' : oneOfThe(is.values);
    case 'either':
      return is.cases.map((each) => wordsOf(each.is)).join(' or ');
    default:
      return `a ${is.type}`;
  }
}

function oneOfThe(values: readonly (string | boolean)[]): string {
  return `one of ${values.join(', ')}`;
}
