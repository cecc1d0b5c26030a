import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeLosses, lowerOutput } from '../run/options/choose-mode.ts';
import type { NativeSchema } from '../ports/agent-provider.ts';
import { claudeCode } from './claude-code/claude-code.ts';
import { codex } from './codex/codex.ts';

const agents = { 'claude-code': claudeCode(), codex: codex() };

function lower(name: keyof typeof agents, schema: z.ZodType): NativeSchema {
  return lowerOutput(Output.object({ schema }), agents[name].nativeMode!);
}

describe('the native mode', () => {
  it('passes a plain object to both unchanged, and reports no losses', () => {
    const schema = z.object({
      answer: z.int(),
      tags: z.array(z.enum(['a', 'b'])),
      note: z.string().nullable(),
    });
    for (const name of ['claude-code', 'codex'] as const) {
      const native = lower(name, schema);
      expect(native.schema).toMatchObject({ type: 'object', required: ['answer', 'tags', 'note'] });
      expect(describeLosses(agents[name], native)).toBeUndefined();
    }
  });

  it('reports by path the keywords that codex does not enforce', () => {
    const native = lower(
      'codex',
      z.object({ title: z.string().min(3), when: z.date().optional() }).pick({ title: true }),
    );
    expect(describeLosses(agents.codex, native)).toBe(
      'The schema mode of `codex` does not enforce the whole schema: `minLength` at `/properties/title/minLength` ' +
        '(the provider does not enforce it). The answer is still validated by the whole schema afterwards.',
    );
  });

  it('counts losses beyond the tenth', () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const native = lower(
      'codex',
      z.object(Object.fromEntries(names.map((name) => [name, z.string().min(1)]))),
    );
    expect(describeLosses(agents.codex, native)).toContain('; and 2 more.');
  });

  it('wraps a root that is no object, and a root with names that are none for a tool', () => {
    const array = lowerOutput(Output.array({ element: z.int() }), agents['claude-code'].nativeMode!);
    expect(array.schema).toMatchObject({ type: 'object', required: ['output'] });
    expect(array.inverse({ output: [1] })).toEqual([1]);
    const strange = lower('claude-code', z.object({ 'ä b': z.int() }));
    expect(strange.inverse({ output: { 'ä b': 1 } })).toEqual({ 'ä b': 1 });
  });

  it('refuses what cannot be carried, with the path and what to do', () => {
    const nested = (levels: number): z.ZodType =>
      z.object({ a: levels === 1 ? z.int() : nested(levels - 1) });
    expect(() => lower('codex', nested(10))).not.toThrow();
    let message = '';
    try {
      lower('codex', nested(11));
    } catch (error) {
      expect(UsageError.isInstance(error) && error.code).toBe('unsupported');
      message = error instanceof UsageError ? error.message : '';
    }
    expect(message).toContain(`at \`${'/properties/a'.repeat(10)}\``);
    expect(message).toMatch(/at most 10 nested objects.*set `tag`\.$/u);
  });

  it('removes and reports keywords that claude-code does not support', () => {
    const native = agents['claude-code'].nativeMode!.lowerSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: 'array', prefixItems: [{ type: 'integer' }], items: false } },
      unevaluatedProperties: false,
    });
    expect(native.schema).toEqual({
      type: 'object',
      description: '(unevaluatedProperties: false)',
      properties: {
        a: { type: 'array', items: { anyOf: [{ type: 'integer' }] }, minItems: 1, maxItems: 1 },
      },
    });
    expect(native.losses.map(({ keyword }) => keyword)).toEqual(['prefixItems', 'unevaluatedProperties']);
  });
});
