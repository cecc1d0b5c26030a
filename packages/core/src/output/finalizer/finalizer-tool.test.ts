import { expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../errors/usage-error.ts';
import { compileJsonSchema } from '../../schema/engine/compile-json-schema.ts';
import { jsonSchema } from '../../schema/json-schema.ts';
import { Output } from '../output.ts';
import { finalizerTool } from './finalizer-tool.ts';

it('is an object with the one key `output`, whatever the answer is', () => {
  expect(finalizerTool(Output.choice({ options: ['a', 'b'] })).inputSchema).toEqual({
    type: 'object',
    required: ['output'],
    additionalProperties: false,
    properties: { output: { type: 'string', enum: ['a', 'b'] } },
  });
  expect(finalizerTool(Output.array({ element: z.string() })).inputSchema).toMatchObject({
    properties: { output: { type: 'array', items: { type: 'string' } } },
  });
});

it('is refused for text', () => {
  expect(() => finalizerTool(Output.string({ tag: 'x' }))).toThrow(UsageError);
});

it('keeps the targets of references: definitions, document paths, and the root', () => {
  const schema = jsonSchema.unchecked({
    type: 'object',
    properties: {
      name: { $ref: '#/$defs/name' },
      again: { $ref: '#/properties/name' },
      children: { type: 'array', items: { $ref: '#' } },
      $ref: { const: { $ref: '#' } },
      default: { $ref: '#/properties/name' },
    },
    required: ['name'],
    $defs: { name: { type: 'string', minLength: 2 } },
  });
  const { inputSchema } = finalizerTool(Output.object({ schema }));
  const compiled = compileJsonSchema(inputSchema);
  const fits = (output: unknown): boolean => compiled.validate({ output }).valid;

  expect(fits({ name: 'ab', again: 'cd', children: [{ name: 'ef' }], $ref: { $ref: '#' } })).toBe(true);
  expect(fits({ name: 'a' })).toBe(false);
  expect(fits({ name: 'ab', again: 'c' })).toBe(false);
  expect(fits({ name: 'ab', children: [{ name: 'e' }] })).toBe(false);
  expect(fits({ name: 'ab', default: 'cd' })).toBe(true);
  expect(fits({ name: 'ab', default: 'c' })).toBe(false);
  expect(fits({ name: 'ab', $ref: { $ref: '#/properties/output' } })).toBe(false);
});

it('keeps a schema with its own `$id` unchanged', () => {
  const own = { $id: 'https://example.invalid/a', $defs: { x: { type: 'number' } }, $ref: '#/$defs/x' };
  const schema = jsonSchema.unchecked(own);
  expect(finalizerTool(Output.object({ schema })).inputSchema).toMatchObject({ properties: { output: own } });
});

it('keeps a recursive schema of Zod recursive', () => {
  const node = z.object({
    value: z.number(),
    get next() {
      return node.optional();
    },
  });
  const compiled = compileJsonSchema(finalizerTool(Output.object({ schema: node })).inputSchema);
  expect(compiled.validate({ output: { value: 1, next: { value: 2 } } }).valid).toBe(true);
  expect(compiled.validate({ output: { value: 1, next: { value: 'x' } } }).valid).toBe(false);
});
