/** Zod schemas of shapes: strict, for requests, stored rows and the OpenAPI document. Pure. */
import { z } from 'zod';
import type {
  Bounds,
  Form,
  Known,
  Members,
  OptionalMember,
  Shape,
  TextLimits,
} from '@truecast/core/internal/shape/shape';
import type { WireSchema } from './wire-schema.ts';

/** One schema per shape, so that a component is the same wherever it is used. */
const made = new WeakMap<Shape<unknown>, z.ZodType>();

/** Returns the schema of a shape. It refuses unknown members, texts and objects, also of an open shape. */
export function toZod<T>(shape: Shape<T>): WireSchema<Known<T>> {
  const schema = made.get(shape) ?? named(shape, convert(shape.is));
  made.set(shape, schema);
  // The type of the shape comes from the same data.
  return schema as WireSchema<Known<T>>;
}

export type ZodMembers<TMembers> = {
  [K in keyof TMembers]: TMembers[K] extends OptionalMember<infer T>
    ? z.ZodExactOptional<z.ZodType<Known<T>>>
    : TMembers[K] extends Shape<infer T>
      ? z.ZodType<Known<T>>
      : never;
};

/** Returns the schemas of members, to be refined. */
export function toZodMembers<const TMembers extends Members>(members: TMembers): ZodMembers<TMembers> {
  const schemas = Object.entries(members).map(([key, member]) => [
    key,
    'optional' in member ? toZod(member.optional).exactOptional() : toZod(member),
  ]);
  // `Object.fromEntries` loses the keys.
  return Object.fromEntries(schemas) as ZodMembers<TMembers>;
}

function named({ name }: Shape<unknown>, schema: z.ZodType): z.ZodType {
  return name === undefined ? schema : schema.meta({ ref: name });
}

function convert(is: Form): z.ZodType {
  switch (is.type) {
    case 'anything':
      // A recursive schema of JSON would overflow the stack on a deep value.
      return z.unknown();
    case 'nothing':
      return z.undefined();
    case 'boolean':
      return z.boolean();
    case 'string':
      return textOf(is);
    case 'number':
      return within(z.number(), is);
    case 'integer':
      return within(z.int(), is);
    case 'literal':
      return z.literal(is.value);
    case 'enum':
      return z.enum(is.values);
    case 'array':
      return within(z.array(toZod(is.item)), is);
    case 'record':
      return z.record(z.string(), toZod(is.value));
    case 'object':
      return objectOf(is.members);
    case 'tagged': {
      const [first, ...rest] = Object.values(is.cases).flatMap((each) =>
        each.is.type === 'object' ? [objectOf(each.is.members)] : [],
      );
      return first === undefined ? z.never() : z.discriminatedUnion('type', [first, ...rest]);
    }
    default:
      return z.union(is.cases.map(toZod));
  }
}

function objectOf(members: Members): z.ZodObject {
  return z.strictObject(toZodMembers(members));
}

interface Bounded {
  min(value: number): this;
  max(value: number): this;
}

function within<T extends Bounded>(schema: T, { min, max }: Bounds): T {
  const above = min === undefined ? schema : schema.min(min);
  return max === undefined ? above : above.max(max);
}

function textOf({
  format,
  pattern,
  expected,
  ...bounds
}: TextLimits & { readonly format?: string }): z.ZodType {
  const text = within(z.string(), bounds);
  const matched = pattern === undefined ? text : text.regex(new RegExp(pattern, 'u'), expected);
  return format === undefined ? matched : matched.meta({ format });
}
