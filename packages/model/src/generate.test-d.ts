import type { ModelMessage } from 'ai';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from './generate.ts';
import type { GenerateMessage } from './messages/generate-messages.ts';
import { openAICompatible } from './open-ai-compatible.ts';

const model = openAICompatible({ baseURL: 'http://localhost/v1', model: 'm' });
const asked = { model, prompt: 'x' };

it('infers the answer and its previews', () => {
  const output = Output.object({ schema: z.object({ a: z.number() }) });
  expectTypeOf(generate({ ...asked, output }))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ a: number }>();
  const choice = Output.choice({ options: ['yes', 'no'] });
  expectTypeOf(generate({ ...asked, output: choice }))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<'yes' | 'no'>();
  expectTypeOf(generate({ ...asked, output })[Symbol.asyncIterator]().next).returns.resolves.toExtend<{
    value: { value?: { a?: number } | undefined } | undefined;
  }>();
});

it('infers the elements of a list, and none of another answer', () => {
  const output = Output.array({ element: z.object({ a: z.number() }) });
  expectTypeOf(generate({ ...asked, output }).elements).toEqualTypeOf<AsyncIterable<{ a: number }>>();
  const other = Output.object({ schema: z.object({ a: z.number() }) });
  expectTypeOf(generate({ ...asked, output: other }).elements).toEqualTypeOf<AsyncIterable<never>>();
  expectTypeOf(generate({ ...asked, output: Output.json() }).elements).toEqualTypeOf<AsyncIterable<never>>();
});

it('does not accept a model name', () => {
  // @ts-expect-error a model is an object of the AI SDK
  void generate({ model: 'gpt-5', prompt: 'x', output: Output.json({}) });
});

it("takes the AI SDK's messages", () => {
  const messages: ModelMessage[] = [];
  void generate({ model, messages, output: Output.json({}) });
  expectTypeOf<ModelMessage>().toExtend<GenerateMessage>();
  const written: GenerateMessage[] = [
    { role: 'system', content: 'Be short.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', image: new Uint8Array() },
      ],
    },
  ];
  void written;
  // @ts-expect-error a message of a page is converted first
  void generate({ model, messages: [{ id: 'm', role: 'user', parts: [] }], output: Output.json({}) });
});
