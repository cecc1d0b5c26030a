import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { SchemaError } from '../errors/schema-error.ts';
import { UsageError } from '../errors/usage-error.ts';
import { jsonSchema } from './json-schema.ts';
import { toJsonSchema } from './to-json-schema.ts';

const PLAIN = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;

describe('jsonSchema', () => {
  it('returns the value itself when it is valid', () => {
    const value = { title: 'x', more: 1 };
    expect(jsonSchema(PLAIN)['~standard'].validate(value)).toEqual({ value });
  });

  it('returns issues with paths when it is not', () => {
    expect(jsonSchema(PLAIN)['~standard'].validate({ title: 1 })).toEqual({
      issues: [{ path: ['title'], message: 'Expected string, got number' }],
    });
  });

  it('returns its JSON Schema unchanged', () => {
    expect(toJsonSchema(jsonSchema(PLAIN))).toEqual(PLAIN);
    expect(toJsonSchema(jsonSchema(true))).toEqual({});
    expect(toJsonSchema(jsonSchema(false))).toEqual({ not: {} });
  });

  it('does not translate to another draft', () => {
    const { jsonSchema: converter } = jsonSchema({ definitions: {} })['~standard'];
    expect(converter.output({ target: 'draft-07' })).toEqual({ definitions: {} });
    expect(() => converter.input({ target: 'openapi-3.0' })).toThrow(UsageError);
  });

  it('refuses a bad schema when it is created', () => {
    expect(() => jsonSchema({ type: 'strnig' })).toThrow(SchemaError);
    expect(() => jsonSchema.unchecked({ $ref: 'https://example.test/x' })).toThrow(
      /points outside the schema/,
    );
  });

  it('accepts a schema of up to 1 MiB, or up to the limits for untrusted schemas', () => {
    const values = Array.from({ length: 8_000 }, (_, index) => `value number ${index}`);
    const schema = { type: 'string', enum: values };
    expect(JSON.stringify(schema).length).toBeGreaterThan(131_072);
    expect(jsonSchema(schema)['~standard'].validate('value number 7999')).toEqual({
      value: 'value number 7999',
    });
    const tooLarge = expect.objectContaining({ code: 'too-large' });
    expect(() => jsonSchema(schema, { maxBytes: 65_536 })).toThrowError(tooLarge);
    expect(() => jsonSchema({ description: 'x'.repeat(1_048_576) })).toThrowError(tooLarge);
  });

  it('throws when a validation exceeds its limits', () => {
    const schema = jsonSchema({ items: { type: 'number' } }, { maxWork: 10 });
    expect(() => schema['~standard'].validate([1, 2, 3, 4, 5, 6])).toThrow(SchemaError);
  });

  it('takes a schema of TypeBox', () => {
    const schema = jsonSchema(
      Type.Object({ title: Type.String({ minLength: 1 }), count: Type.Optional(Type.Integer()) }),
    );
    expect(schema['~standard'].validate({ title: 'x' })).toEqual({ value: { title: 'x' } });
    expect(schema['~standard'].validate({ title: '', count: 1.5 })).toMatchObject({
      issues: [{ path: ['title'] }, { path: ['count'] }],
    });
    expect(toJsonSchema(schema)).toMatchObject({ type: 'object', required: ['title'] });
  });
});
