/**
 * Shapes of JSON values as data: what a value has to be, and its type. Readers decide how strict they
 * are: `findMismatch` tolerates what a newer writer sends, and a server makes strict schemas of the
 * same data. A form is plain JSON, so two versions of it can be compared. Pure.
 */
import type { JsonValue } from '../kit/json-value.ts';

/** A shape of values of the type `T`. */
export interface Shape<out T> {
  readonly is: Form;
  /** Name among the components of an OpenAPI document. */
  readonly name?: string;
  /** Only a type. */
  readonly '~type'?: T;
}

/** A member that can be absent. It is never `undefined`. */
export interface OptionalMember<out T> {
  readonly optional: Shape<T>;
}

/** Members of an object by name. */
export type Members = Readonly<Record<string, Shape<unknown> | OptionalMember<unknown>>>;

/** Limits of a text. A server refuses others; the reader of an answer does not judge by them. */
export interface TextLimits {
  readonly min?: number;
  readonly max?: number;
  /** A regular expression with the flag `u`, as text. */
  readonly pattern?: string;
  /** What `pattern` expects, for the refusal. */
  readonly expected?: string;
}

/** Limits of a number or of the length of an array. Readers of answers do not judge by them either. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** What a value has to be. */
export type Form =
  | { readonly type: 'anything' | 'nothing' | 'boolean' }
  | ({ readonly type: 'string'; readonly format?: 'date-time' } & TextLimits)
  | ({ readonly type: 'number' | 'integer' } & Bounds)
  | { readonly type: 'literal'; readonly value: string | boolean }
  | { readonly type: 'enum'; readonly values: readonly string[]; readonly open?: true }
  | ({ readonly type: 'array'; readonly item: Shape<unknown> } & Bounds)
  | { readonly type: 'record'; readonly value: Shape<unknown> }
  | { readonly type: 'object'; readonly members: Members }
  | {
      readonly type: 'tagged';
      readonly cases: Readonly<Record<string, Shape<unknown>>>;
      readonly open?: true;
    }
  | { readonly type: 'either'; readonly cases: readonly Shape<unknown>[] };

type Flat<T> = { [K in keyof T]: T[K] };
type TypeOf<M> = M extends OptionalMember<infer T> ? T : M extends Shape<infer T> ? T : never;
type OptionalKey<M> = { [K in keyof M]: M[K] extends OptionalMember<unknown> ? K : never }[keyof M];

/** The object with these members. */
export type ObjectOf<TMembers> = Flat<
  { readonly [K in Exclude<keyof TMembers, OptionalKey<TMembers>>]: TypeOf<TMembers[K]> } & {
    readonly [K in OptionalKey<TMembers>]?: TypeOf<TMembers[K]>;
  }
>;

export type Of<TShape> = TShape extends Shape<infer T> ? T : never;

/**
 * A text of a newer writer that this version does not know. Comparisons with known texts exclude it,
 * and no known text can be assigned to it.
 */
export type Newer = Template<string & { readonly '~newer': true }>;
/** TypeScript narrows a union by a template, and not by the branded text in it. */
type Template<T extends string> = `${T}`;

/** An object of a newer writer whose `type` this version does not know. */
export interface NewerObject {
  readonly type: Newer;
  readonly [member: string]: unknown;
}

/** The values that this version knows: those that it writes, and that a strict reader accepts. */
export type Known<T> = Exclude<T, Newer | NewerObject>;

export const anything: Shape<unknown> = { is: { type: 'anything' } };
/** A number of things. */
export const count: Shape<number> = { is: { type: 'integer', min: 0 } };
/** No value: an answer without content. */
export const nothing: Shape<void> = { is: { type: 'nothing' } };
/** Values that were parsed are JSON already. */
export const json: Shape<JsonValue> = { is: { type: 'anything' } };
export const string: Shape<string> = { is: { type: 'string' } };
/** A time in ISO 8601. */
export const time: Shape<string> = { is: { type: 'string', format: 'date-time' } };
export const boolean: Shape<boolean> = { is: { type: 'boolean' } };
export const number: Shape<number> = { is: { type: 'number' } };
export const integer: Shape<number> = { is: { type: 'integer' } };
export const record: Shape<Readonly<Record<string, unknown>>> = recordOf(anything);

/** Allows the member to be absent. */
export function optional<T>(shape: Shape<T>): OptionalMember<T> {
  return { optional: shape };
}

export function limited(limits: TextLimits): Shape<string> {
  return { is: { type: 'string', ...limits } };
}

/** A number with limits. */
export function bounded(type: 'number' | 'integer', bounds: Bounds): Shape<number> {
  return { is: { type, ...bounds } };
}

/** One text or boolean. */
export function literal<const T extends string | boolean>(value: T): Shape<T> {
  return { is: { type: 'literal', value } };
}

/** One of these texts. A reader refuses others. */
export function oneOf<const T extends readonly string[]>(...values: T): Shape<T[number]> {
  return { is: { type: 'enum', values } };
}

/** One of these texts, or of those that a newer writer adds. */
export function openOneOf<const T extends readonly string[]>(...values: T): Shape<T[number] | Newer> {
  return { is: { type: 'enum', values, open: true } };
}

/** An array of such items. */
export function array<T>(item: Shape<T>, bounds?: Bounds): Shape<readonly T[]> {
  return { is: { type: 'array', item, ...bounds } };
}

/** An object with any keys and such values. */
export function recordOf<T>(value: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { is: { type: 'record', value } };
}

export function object<const TMembers extends Members>(
  members: TMembers,
  name?: string,
): Shape<ObjectOf<TMembers>> {
  return named({ type: 'object', members }, name);
}

export function either<const T extends readonly Shape<unknown>[]>(
  cases: T,
  name?: string,
): Shape<Of<T[number]>> {
  return named({ type: 'either', cases }, name);
}

/** One of these objects, by their `type`. */
export function tagged<const T extends Cases<T>>(cases: T, name?: string): Shape<Of<T[keyof T]>> {
  return named({ type: 'tagged', cases }, name);
}

/** One of these objects, or of those that a newer writer adds. */
export function openTagged<const T extends Cases<T>>(
  cases: T,
  name?: string,
): Shape<Of<T[keyof T]> | NewerObject> {
  return named({ type: 'tagged', cases, open: true }, name);
}

/** Objects by their `type`. */
type Cases<T> = { readonly [K in keyof T]: Shape<{ readonly type: K }> };

function named(is: Form, name: string | undefined): Shape<never> {
  return name === undefined ? { is } : { is, name };
}
