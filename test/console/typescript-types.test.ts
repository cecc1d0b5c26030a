/** Tests of TypeScript types as schemas, and of schemas as TypeScript types. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { schemaOfType } from '../../web/src/typescript/schema-of-type.ts';
import { typeOfSchema } from '../../web/src/typescript/type-of-schema.ts';
import { asRecord, type DescribedSchema } from '../../web/src/json/describe-schema.ts';

const BUG = `
// The answer.
export interface Bug {
  /** Path of the file. */
  readonly file: string;
  /**
   * Counted from 1
   * in the file.
   *
   * @asType integer
   * @minimum 1
   */
  line: number;
  severity: 'low' | "high";
  where?: Place | null;
  tags: ReadonlyArray<string>;
  notes: (string | number)[];
  fixed: true | false;
  other: Record<string, unknown>;
  seen: Date | undefined;
}
type Place = { 'file name': string, next?: Place; [key: string]: unknown };
`;

it('reads a declared type with its comments, rules and definitions', () => {
  expect(schemaOfType(BUG)).toEqual({
    name: 'Bug',
    schema: {
      type: 'object',
      properties: {
        file: { type: 'string', description: 'Path of the file.' },
        line: { type: 'integer', description: 'Counted from 1 in the file.', minimum: 1 },
        severity: { type: 'string', enum: ['low', 'high'] },
        where: { anyOf: [{ $ref: '#/$defs/Place' }, { type: 'null' }] },
        tags: { type: 'array', items: { type: 'string' } },
        notes: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
        fixed: { type: 'boolean' },
        other: { type: 'object', additionalProperties: {} },
        seen: { type: 'string', format: 'date-time' },
      },
      required: ['file', 'line', 'severity', 'tags', 'notes', 'fixed', 'other'],
      additionalProperties: false,
      $defs: {
        Place: {
          type: 'object',
          properties: { 'file name': { type: 'string' }, next: { $ref: '#/$defs/Place' } },
          required: ['file name'],
          additionalProperties: {},
        },
      },
    },
  });
});

it('reads a type without a name, and one that refers to itself', () => {
  expect(schemaOfType('{ a: string }')).toMatchObject({ name: '', schema: { required: ['a'] } });
  expect(schemaOfType('type Tree = { next: Tree[] }')).toMatchObject({
    schema: { properties: { next: { items: { $ref: '#' } } } },
  });
});

it.each([
  ['', 'Expected a type', 1],
  ['interface A {\n  a: string\n  b: (\n}', 'Expected a type, got `}`', 4],
  ['interface A {\n  b: Other\n}', '`Other` is not declared', 2],
  ['type A = { a: string } & { b: string }', '`&` is not supported', 1],
  ['\ninterface A extends B {}', '`extends` is not supported', 2],
  ['type A<T> = { a: T }', 'A type with parameters is not supported', 1],
  ['type A = string', 'Expected the type of an object', 1],
  ['type A = { a: `x` }', 'Unexpected', 1],
  [`type A = ${'{ a: '.repeat(50_000)}`, 'nested too deeply', 1],
])('says what is wrong with %j, and where', (text, problem, line) => {
  const read = schemaOfType(text);
  expect(read).toMatchObject({ line });
  expect('problem' in read && read.problem).toContain(problem);
});

it('writes a schema as a type that can be read again', () => {
  expect(typeOfSchema('bug-report', { ...asRecord(bugSchema()), description: 'A bug' })).toBe(
    `/** A bug */
export interface BugReport {
  /** Path of the file. */
  file: string;
  /**
   * Counted from 1 in the file.
   * @asType integer
   * @minimum 1
   */
  line: number;
  severity: "low" | "high";
  where?: Place | null;
  tags: string[];
  notes: (string | number)[];
  fixed: boolean;
  other: {
    [key: string]: unknown;
  };
  seen?: string;
}

export interface Place {
  "file name": string;
  next?: Place;
  [key: string]: unknown;
}`.replace('  seen?', '  /** @format date-time */\n  seen?'),
  );
});

function bugSchema(): DescribedSchema {
  const read = schemaOfType(BUG);
  if ('problem' in read) throw new TypeError(read.problem);
  return read.schema;
}

it('keeps each schema of the supported kind on its way through a type', () => {
  const name = fc.stringMatching(/^[a-z$_][\w$]{0,8}$/u);
  const words = fc.stringMatching(/^[A-Z][a-z ./*]{0,20}[a-z]$/u);
  // A comment belongs to a member: the type of an item has no place for rules.
  const plain = fc.record({ type: fc.constantFrom('string', 'boolean', 'null', 'number') });
  const { member } = fc.letrec<{ member: DescribedSchema; object: DescribedSchema }>((tie) => ({
    member: fc.oneof(
      { depthSize: 'small' },
      plain,
      fc.record(
        { type: fc.constant('string'), description: words, maxLength: fc.nat() },
        { requiredKeys: ['type'] },
      ),
      fc.record({ type: fc.constant('integer'), minimum: fc.integer() }),
      fc.record({ const: fc.string() }),
      fc.record({
        type: fc.constant('string'),
        enum: fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 4 }),
      }),
      fc.record({ type: fc.constant('array'), items: fc.oneof(plain, tie('object')) }),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(name, fc.string()), tie('member'), { maxKeys: 4 }).chain((properties) =>
      fc.subarray(Object.keys(properties)).map((required) => ({
        type: 'object',
        properties: { ...properties },
        required,
        additionalProperties: false,
      })),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, member, { maxKeys: 5 }), (properties) => {
      const schema = {
        type: 'object',
        properties: { ...properties },
        required: Object.keys(properties),
        additionalProperties: false,
      };
      expect(schemaOfType(typeOfSchema('answer', schema))).toEqual({ name: 'Answer', schema });
    }),
  );
});
