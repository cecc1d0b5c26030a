import { expectTypeOf, test } from 'vitest';
import type { Receipt } from '../../src/server/contract/receipt.ts';
import type { ChatView, CreateChatBody } from '../../src/server/contract/wire/chat-wire.ts';
import type { ProblemDocument } from '../../src/server/contract/wire/problem-wire.ts';
import type { ChatStreamEvent } from '../../src/server/contract/wire/stream-wire.ts';
import type { components, operations } from './openapi-types.d.ts';

type Schemas = components['schemas'];
interface AnyObject {
  [key: string]: unknown;
}

test('arbitrary JSON is unknown or a record of it: never bytes, never nothing', () => {
  expectTypeOf<Schemas['DynamicTool']['input_schema']>().toEqualTypeOf<AnyObject>();
  expectTypeOf<Schemas['Chat']['settings']>().toEqualTypeOf<AnyObject>();
  expectTypeOf<Schemas['ToolResults']['results'][number]['output']>().toEqualTypeOf<unknown>();
  expectTypeOf<Schemas['Receipt']['value']>().toEqualTypeOf<unknown>();
  expectTypeOf<Extract<Schemas['MessagePart'], { type: 'tool-result' }>['result']>().toEqualTypeOf<unknown>();
  expectTypeOf<Extract<Schemas['ChatStreamEvent'], { type: 'partial' }>['value']>().toEqualTypeOf<unknown>();
  type Format = Extract<Schemas['ResponseFormat'], { type: 'json_schema' }>;
  expectTypeOf<Format['json_schema']['schema']>().toEqualTypeOf<AnyObject>();
  expectTypeOf<Schemas['ValidateFormat']['response_format']>().toEqualTypeOf<unknown>();
});

test('what the document tells is what the server says', () => {
  expectTypeOf<ChatView>().toExtend<Readonly<DeepReadonly<Schemas['Chat']>>>();
  expectTypeOf<Receipt>().toExtend<DeepReadonly<Schemas['Receipt']>>();
  expectTypeOf<ProblemDocument>().toExtend<DeepReadonly<Schemas['ProblemDocument']>>();
  expectTypeOf<ChatStreamEvent>().toExtend<DeepReadonly<Schemas['ChatStreamEvent']>>();
  expectTypeOf<Schemas['CreateChat']>().toExtend<CreateChatBody>();
});

test('a refusal is a problem document, and an answer is not', () => {
  type Responses = operations['readRequest']['responses'];
  expectTypeOf<Responses[200]['content']['application/json']>().toEqualTypeOf<Schemas['Receipt']>();
  expectTypeOf<Responses['default']['content']['application/problem+json']>().toEqualTypeOf<
    Schemas['ProblemDocument']
  >();
});

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
