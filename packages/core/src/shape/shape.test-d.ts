import { expectTypeOf, test } from 'vitest';
import type { JsonValue } from '../kit/json-value.ts';
import {
  array,
  either,
  integer,
  json,
  literal,
  object,
  oneOf,
  openOneOf,
  openTagged,
  optional,
  recordOf,
  string,
  tagged,
  type Newer,
  type NewerObject,
  type ObjectOf,
  type Of,
  type Shape,
} from './shape.ts';
import { view } from './view.ts';

const members = {
  /** Documented where it is defined. */
  id: integer,
  name: optional(string),
  status: oneOf('live', 'done'),
  values: array(json),
  labels: optional(recordOf(string)),
  place: optional(object({ start: integer })),
};
interface Row extends ObjectOf<typeof members> {}
const row: Shape<Row> = object(members, 'Row');

const text = object({ type: literal('text'), text: string });
const file = object({ type: literal('file'), url: string });
const part = openTagged({ text, file });
type Part = Of<typeof part>;

test('a shape has the type that one would write by hand', () => {
  expectTypeOf<Of<typeof row>>().toEqualTypeOf<{
    readonly id: number;
    readonly name?: string;
    readonly status: 'live' | 'done';
    readonly values: readonly JsonValue[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly place?: { readonly start: number };
  }>();
  expectTypeOf(either([string, integer])).toEqualTypeOf<Shape<string | number>>();
});

test('an absent member is never `undefined`', () => {
  // @ts-expect-error `name` is absent instead.
  const bad: Row = { id: 1, status: 'live', values: [], name: undefined };
  expectTypeOf(bad).toEqualTypeOf<Row>();
});

test('a view names each member, and leaves out the undefined ones', () => {
  expectTypeOf(
    view<Row>({
      id: 1,
      name: undefined,
      status: 'done',
      values: [],
      labels: undefined,
      place: { start: 1 },
    }),
  ).toEqualTypeOf<Row>();
  // @ts-expect-error `place` is missing.
  view<Row>({ id: 1, name: undefined, status: 'done', values: [], labels: undefined });
});

test('a comparison with a known text excludes the newer ones', () => {
  const read = (value: Part): string | NewerObject => {
    if (value.type === 'text') return value.text;
    if (value.type === 'file') return value.url;
    expectTypeOf(value).toEqualTypeOf<NewerObject>();
    return value;
  };
  expectTypeOf(read).parameter(0).toEqualTypeOf<Part>();
  const code = openOneOf('ok', 'invalid');
  expectTypeOf<Exclude<Of<typeof code>, Newer>>().toEqualTypeOf<'ok' | 'invalid'>();
});

test('a case has the `type` of its name', () => {
  tagged({ text, file });
  // @ts-expect-error The member `type` of `file` is `file`.
  tagged({ text: file });
  // @ts-expect-error It has no `type`.
  tagged({ row });
});

test('a writer can only use known texts', () => {
  const code = openOneOf('ok', 'invalid');
  // @ts-expect-error Not a known code.
  const bad: Of<typeof code> = 'oK';
  expectTypeOf(bad).toExtend<string>();
  // @ts-expect-error Not a known part.
  const audio: Part = { type: 'audio' };
  expectTypeOf(audio).toExtend<object>();
});
