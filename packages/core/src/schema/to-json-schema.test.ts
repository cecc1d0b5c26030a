import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';
import { toJsonSchema } from './to-json-schema.ts';

describe('toJsonSchema', () => {
  it('returns the input side of Zod: a property with a default is optional', () => {
    const schema = z.object({ title: z.string(), tags: z.array(z.string()).default([]) });
    expect(toJsonSchema(schema)).toMatchObject({
      type: 'object',
      properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      required: ['title'],
    });
  });

  it('returns the input side of a transform', () => {
    expect(toJsonSchema(z.string().transform((text) => text.length))).toMatchObject({ type: 'string' });
  });

  it('accepts an ArkType schema unchanged', () => {
    expect(toJsonSchema(type({ 'count?': 'number.integer' }))).toMatchObject({
      type: 'object',
      properties: { count: { type: 'integer' } },
    });
  });

  it('accepts a Valibot schema that can convert itself', () => {
    const schema = toStandardJsonSchema(v.object({ title: v.string() }));
    expect(toJsonSchema(schema)).toMatchObject({
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    });
  });

  it('explains how to wrap a Valibot schema that cannot', () => {
    expect(() => toJsonSchema(v.string())).toThrow(/toStandardJsonSchema/);
  });

  it('names the part that cannot be expressed, at any depth', () => {
    const schema = z.object({ a: z.string(), list: z.array(z.object({ when: z.date() })) });
    expect(() => toJsonSchema(schema)).toThrow(/`list\.\[\]\.when`.*Date/);
  });

  it('names the alternative of a union that cannot be expressed', () => {
    expect(() => toJsonSchema(z.union([z.string(), z.bigint()]))).toThrow(/`1`.*BigInt/);
  });

  it('explains how to wrap a plain JSON Schema', () => {
    const plain: unknown = { type: 'string' };
    expect(() => toJsonSchema(plain as z.ZodType)).toThrow(UsageError);
    expect(() => toJsonSchema(plain as z.ZodType)).toThrow(/jsonSchema\(schema\)/);
  });
});
