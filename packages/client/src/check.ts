/**
 * Checks of received JSON: small validators that name the first wrong member. Pure.
 *
 * Unknown members are allowed: a newer server sends more. The compiler compares each check with the
 * type that it is for, member by member.
 */
import { describeValue } from '@truecast/core/internal/errors/base/describe-value';
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { showPath } from '@truecast/core/internal/output/json/show-path';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';

/** The first wrong member of a value. */
export interface Mismatch {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly actual: unknown;
}

type Judge = (value: unknown) => Mismatch | undefined;

/** Returns the first wrong member, or undefined if the value is a `T`. */
export interface Check<T> {
  (value: unknown): Mismatch | undefined;
  /** Only a type. A function of `T` to `T`, so that neither a wider nor a narrower check fits. */
  readonly '~type'?: (value: T) => T;
}

/** Check of a member that can be absent. */
export interface OptionalCheck<T> {
  readonly optional: Check<T>;
}

/** A check of each member of `T`. */
export type Shape<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K>
    ? OptionalCheck<Exclude<T[K], undefined>>
    : Check<T[K]>;
};

const accept = (): undefined => undefined;
export const anything: Check<unknown> = accept;
export const json: Check<JsonValue> = accept;
export const nothing: Check<void> = expecting('no content', (value) => value === undefined);
export const string: Check<string> = expecting('a string', (value) => typeof value === 'string');
export const boolean: Check<boolean> = expecting('a boolean', (value) => typeof value === 'boolean');
export const number: Check<number> = expecting('a number', Number.isFinite);
export const integer: Check<number> = expecting('an integer', Number.isSafeInteger);
export const record: Check<Readonly<Record<string, unknown>>> = expecting('an object', isRecord);

/** Allows the member to be absent. */
export function optional<T>(check: Check<T>): OptionalCheck<T> {
  return { optional: check };
}

/** Accepts these values. */
export function oneOf<const T extends readonly (string | boolean)[]>(...values: T): Check<T[number]> {
  return expecting(`one of ${values.join(', ')}`, (value) => values.some((each) => each === value));
}

/** Accepts an array of such items. */
export function array<T>(item: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return { path: [], expected: 'an array', actual: value };
    for (const [index, each] of value.entries()) {
      const wrong = item(each);
      if (wrong !== undefined) return { ...wrong, path: [index, ...wrong.path] };
    }
    return undefined;
  };
}

/** Accepts an object with these members. */
export function object<T>(shape: NoInfer<Shape<T>>): Check<T> {
  const members: [string, Judge | { readonly optional: Judge }][] = Object.entries(shape);
  return (value) => {
    if (!isRecord(value)) return record(value);
    for (const [key, check] of members) {
      const isOptional = 'optional' in check;
      if (!Object.hasOwn(value, key)) {
        if (isOptional) continue;
        return { path: [key], expected: 'a value', actual: undefined };
      }
      const wrong = (isOptional ? check.optional : check)(value[key]);
      if (wrong !== undefined) return { ...wrong, path: [key, ...wrong.path] };
    }
    return undefined;
  };
}

/** A check of the members of each object of a union, by its `type`. */
export type Cases<T extends { readonly type: string }> = {
  readonly [K in T['type']]: Shape<Omit<Extract<T, { readonly type: K }>, 'type'>>;
};

/** Accepts an object of a union, chosen by its `type`. */
export function tagged<T extends { readonly type: string }>(cases: Cases<T>): Check<T> {
  // `Object.keys` loses the key type of the table.
  const types = Object.keys(cases) as T['type'][];
  const checks = new Map<unknown, Judge>(types.map((type) => [type, object(cases[type])]));
  return (value) => {
    if (!isRecord(value)) return record(value);
    const check = checks.get(value['type']);
    if (check !== undefined) return check(value);
    return { path: ['type'], expected: `one of ${[...checks.keys()].join(', ')}`, actual: value['type'] };
  };
}

/** Describes a mismatch in one clause. */
export function describeMismatch({ path, expected, actual }: Mismatch): string {
  const where = path.length === 0 ? '' : ` at \`${showPath(path)}\``;
  return `expected ${expected}${where}, got ${describeValue(actual)}`;
}

function expecting(expected: string, accepts: (value: unknown) => boolean): Judge {
  return (value) => (accepts(value) ? undefined : { path: [], expected, actual: value });
}
