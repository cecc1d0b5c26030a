/** Tests of the schema editor's functions: inference, edits of the form, completions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { asRecord, membersOf } from '../../web/src/json/describe-schema.ts';
import { indentJson } from '../../web/src/json/indent-json.ts';
import { inferSchema } from '../../web/src/schema/infer-schema.ts';
import {
  addField,
  changeAt,
  fieldsOf,
  hiddenKeywords,
  fieldKindOf,
  removeField,
  renameField,
  requireField,
  withKeyword,
  withKind,
} from '../../web/src/schema/schema-edit.ts';
import { complete, completionAt } from '../../web/src/schema/schema-completions.ts';

it('infers a schema that accepts its example, whatever that is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const schema = inferSchema(JSON.parse(JSON.stringify(value)));
      expect(compileJsonSchema(schema).validate(JSON.parse(JSON.stringify(value)))).toEqual({ valid: true });
    }),
  );
});

it('gives the items of a list one schema, in which a member that some lack is optional', () => {
  const schema = inferSchema([
    { at: 1, by: 'a' },
    { at: 1.5, tags: [] },
    { at: 2, tags: ['x', null] },
  ]);
  expect(asRecord(schema['items'])).toEqual({
    type: 'object',
    properties: {
      at: { type: 'number' },
      by: { type: 'string' },
      tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
    required: ['at'],
    additionalProperties: false,
  });
});

const BUG = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    file: { type: 'string', description: 'A path', pattern: '^src/' },
    where: {
      type: 'array',
      items: { type: 'object', properties: { line: { type: 'integer', minimum: 1 } } },
    },
    why: { $ref: '#/$defs/Text' },
  },
  required: ['file', 'why'],
};

it('edits a field, and nothing else of the document', () => {
  const renamed = renameField(BUG, 'file', '__proto__');
  expect(membersOf(renamed).map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['__proto__', true],
    ['where', false],
    ['why', true],
  ]);
  expect(renameField(renamed, '__proto__', 'file')).toEqual(BUG);
  expect(requireField(BUG, 'where', true).required).toEqual(['file', 'where', 'why']);
  const removed = removeField(BUG, 'why');
  expect([Object.keys(asRecord(removed['properties']) ?? {}), removed['required']]).toEqual([
    ['file', 'where'],
    ['file'],
  ]);
  const added = addField(addField({ type: 'object' }));
  expect(membersOf(added).map(({ name }) => name)).toEqual(['field', 'field_2']);
  const line = fieldsOf(BUG.properties.where, ['properties', 'where']);
  expect(line?.path).toEqual(['properties', 'where', 'items']);
  const path = [...(line?.path ?? []), 'properties', 'line'];
  const changed = changeAt(BUG, path, (schema) => withKeyword(schema, 'minimum', undefined));
  expect(changed).toEqual(JSON.parse(JSON.stringify(BUG).replace(',"minimum":1', '')));
});

it('shows the kind of a field, keeps its description in another kind, and names what only the editor has', () => {
  expect(Object.values(BUG.properties).map(fieldKindOf)).toEqual(['text', 'list', 'other']);
  expect([{ enum: ['a'] }, { enum: [1] }, { type: ['string', 'null'] }, {}].map(fieldKindOf)).toEqual([
    'choice',
    'other',
    'other',
    'other',
  ]);
  expect(withKind(BUG.properties.file, 'integer')).toEqual({ type: 'integer', description: 'A path' });
  expect(withKind(BUG.properties.why, 'other')).toBe(BUG.properties.why);
  expect(hiddenKeywords(BUG.properties.file)).toEqual(['pattern']);
});

/** Completes at `|` with the first option. */
function completed(marked: string): string | undefined {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const completion = completionAt(text, caret);
  const [option] = completion?.options ?? [];
  if (completion === undefined || option === undefined) return undefined;
  const done = complete(text, completion, option);
  return `${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`;
}

it.each([
  ['{"ty|"}', '{"type": |}'],
  ['{"type": "i|"}', '{"type": "integer"|}'],
  ['{"type": ["string", "nu|"]}', '{"type": ["string", "number"|]}'],
  ['{"properties": {"ty|"}}', undefined],
  ['{"properties": {"a": {"min|": 1}}}', '{"properties": {"a": {"minimum"|: 1}}}'],
  ['{"anyOf": [{"for| ]}', '{"anyOf": [{"format": | ]}'],
  ['{"format": "uu|', '{"format": "uuid"|'],
  [
    '{"properties": {"a": {}, "be": {}}, "required": ["b|"]}',
    '{"properties": {"a": {}, "be": {}}, "required": ["be"|]}',
  ],
  [
    '{"$defs": {"Day": {}}, "items": {"$ref": "|"}}',
    '{"$defs": {"Day": {}}, "items": {"$ref": "#/$defs/Day"|}}',
  ],
  ['{"type": "object", "t|"}', undefined],
  ['{"enum": ["i|"]}', undefined],
  ['{"const": {"ty|"}}', undefined],
  ['{"type"|: 1}', undefined],
  ['|', undefined],
])('completes %s', (marked, expected) => {
  expect(completed(marked)).toBe(expected);
});

it('formats a text in any layout, with the digits of its numbers', () => {
  const text = '{ "a" : [ 1.0,\n 12345678901234567890 ], "b:{": {}, "c": [ ] }';
  expect(indentJson(text)).toBe(
    '{\n  "a": [\n    1.0,\n    12345678901234567890\n  ],\n  "b:{": {},\n  "c": []\n}',
  );
  expect(indentJson(indentJson(text))).toBe(indentJson(text));
});
