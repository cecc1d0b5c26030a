import { useChat } from '@ai-sdk/react';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { createClient } from '../create-client.ts';
import type { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { useAnswer } from '../react/use-answer.ts';
import { useChatEvents } from '../react/use-chat-events.ts';
import type { Receipt } from '../wire/receipt.ts';
import { createChatTransport } from './chat-transport.ts';
import type { TruecastUIMessage } from './ui-message.ts';

const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'x' });
const output = Output.object({ schema: z.object({ line: z.string().transform(Number) }) });
const look = { inputSchema: z.object({ path: z.string() }) };

test('`useChat` has the types of the output and of the tools', () => {
  const transport = createChatTransport(client, { output, tools: { look } });
  const messages = () => useChat({ transport }).messages;
  type Part = ReturnType<typeof messages>[number]['parts'][number];
  type Sealed = Extract<Part, { type: 'data-receipt' }>['data'];
  expectTypeOf<Sealed['value']>().toEqualTypeOf<{ line: number } | undefined>();
  type Refused = Extract<Part, { type: 'data-refused' }>['data'];
  expectTypeOf<Refused['draft']>().toEqualTypeOf<{ line?: number } | undefined>();
  type Look = Extract<Part, { type: 'tool-look'; state: 'input-available' }>;
  expectTypeOf<Look['input']>().toEqualTypeOf<{ path: string }>();
  expectTypeOf<Extract<Part, { type: 'tool-other' }>>().toBeNever();
});

test('a message of another output does not fit', () => {
  const transport = createChatTransport(client, { output });
  void useChat<TruecastUIMessage<{ line: number }>>({ transport });
  // @ts-expect-error the value has a `line`
  void useChat<TruecastUIMessage<{ file: string }>>({ transport });
});

test('an answer has the type of its output', () => {
  const answer = () => useAnswer({ client, output });
  type Answer = ReturnType<typeof answer>;
  expectTypeOf<Extract<Answer, { status: 'valid' }>['output']>().toEqualTypeOf<{ line: number }>();
  expectTypeOf<Answer['output']>().toEqualTypeOf<{ line: number } | undefined>();
  expectTypeOf<Answer['error']>().toEqualTypeOf<TruecastError | undefined>();
  expectTypeOf<Answer['draft']>().toEqualTypeOf<{ line?: number } | undefined>();
  expectTypeOf<Answer['attempts'][number]['draft']>().toEqualTypeOf<{ line?: number } | undefined>();
});

test('a followed chat has its receipts by request', () => {
  const followed = () => useChatEvents(client.chat({ id: 'x' }));
  expectTypeOf(followed)
    .returns.toHaveProperty('receipts')
    .toEqualTypeOf<Readonly<Record<string, Receipt>>>();
  expectTypeOf(followed).returns.toHaveProperty('error').toEqualTypeOf<TruecastError | undefined>();
});
