import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import type { ChatView, DynamicTool } from './wire/chat.ts';
import type { MessagePart } from './wire/message-parts.ts';
import type { ToolResultsBody } from './wire/message.ts';
import type { Receipt } from './wire/receipt.ts';
import type { JsonSchemaFormat } from './wire/response-format.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { tool } from './client-tools.ts';
import type { ClientRun } from './runs/client-run.ts';
import { createClient } from './create-client.ts';

const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'x' });

test('an answer has the type of its output', () => {
  const ask = () =>
    client.chat().ask({ prompt: 'x', output: Output.object({ schema: z.object({ n: z.coerce.number() }) }) });
  expectTypeOf(ask).returns.resolves.toHaveProperty('output').toEqualTypeOf<{ n: number }>();
  expectTypeOf(ask).returns.resolves.toHaveProperty('receipt').toEqualTypeOf<Receipt>();
  const choose = () => client.chat().ask({ prompt: 'x', output: Output.choice({ options: ['a', 'b'] }) });
  expectTypeOf(choose).returns.resolves.toHaveProperty('output').toEqualTypeOf<'a' | 'b'>();
});

test('elements have the type of the element, and another answer has none', () => {
  const ask = () => client.chat().ask({ prompt: 'x', output: Output.array({ element: z.coerce.number() }) });
  expectTypeOf(ask).returns.toHaveProperty('elements').toEqualTypeOf<AsyncIterable<number>>();
  const choose = () => client.chat().ask({ prompt: 'x', output: Output.choice({ options: ['a', 'b'] }) });
  expectTypeOf(choose).returns.toHaveProperty('elements').toEqualTypeOf<AsyncIterable<never>>();
});

test('the result of an agent run has the type of its output, and without one it is text', () => {
  const asked = { repository: 'web', agent: 'codex', prompt: 'x' };
  const output = Output.object({ schema: z.object({ n: z.coerce.number() }) });
  const run = () => client.runs.run({ ...asked, output });
  expectTypeOf(run).returns.resolves.toHaveProperty('output').toEqualTypeOf<{ n: number }>();
  const create = () => client.runs.create({ ...asked, output });
  expectTypeOf(create).returns.resolves.toEqualTypeOf<ClientRun<{ n: number }>>();
  expectTypeOf(client.runs.get('x', { output })).toEqualTypeOf<ClientRun<{ n: number }>>();
  expectTypeOf(client.runs.get('x')).toEqualTypeOf<ClientRun<JsonValue>>();
  const text = () => client.runs.create(asked);
  expectTypeOf(text).returns.resolves.toEqualTypeOf<ClientRun<string>>();
  // @ts-expect-error a schema alone is no output
  void client.runs.create({ ...asked, output: z.object({}) });
});

test('JSON of any kind is unknown, a record or a JSON value: never bytes, never any', () => {
  expectTypeOf<ToolResultsBody['results'][number]['output']>().toEqualTypeOf<unknown>();
  expectTypeOf<DynamicTool['input_schema']>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  expectTypeOf<JsonSchemaFormat['json_schema']['schema']>().toEqualTypeOf<
    Readonly<Record<string, unknown>>
  >();
  expectTypeOf<ChatView['settings']>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  expectTypeOf<Receipt['value']>().toEqualTypeOf<JsonValue | undefined>();
  expectTypeOf<Extract<MessagePart, { type: 'tool_result' }>['result']>().toEqualTypeOf<JsonValue>();
  expectTypeOf<Extract<ChatStreamEvent, { type: 'partial' }>['value']>().toEqualTypeOf<unknown>();
});

test('a tool receives the output of its schema', () => {
  tool({
    inputSchema: z.object({ at: z.string().transform(Number) }),
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ at: number }>(),
  });
});

test('an invalid definition does not compile', () => {
  // @ts-expect-error a schema alone is no output
  void client.chat().ask({ prompt: 'x', output: z.object({}) });
  // @ts-expect-error a format of the chat's own names is made of `output`
  void client.chat().ask({ prompt: 'x', output: Output.json({}), response_format: { type: 'text' } });
});
