import { expectTypeOf, test } from 'vitest';
import type {
  ChatView,
  CreateChatBody,
  CreatedChatView,
  ListedChatPageView,
  ModelView,
  PatchChatBody,
} from '../../packages/client/src/wire/chat.ts';
import type { MessagePart } from '../../packages/client/src/wire/message-parts.ts';
import type {
  EditedView,
  MessagePageView,
  MessageView,
  QueuedView,
  QueueView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from '../../packages/client/src/wire/message.ts';
import type {
  CreateTokenBody,
  IssuedTokenView,
  MeView,
  TokenListView,
  UsageView,
} from '../../packages/client/src/wire/account.ts';
import type {
  RequestDetailView,
  RequestPageView,
  SchemaDetailView,
  SchemaPageView,
  RequestView,
} from '../../packages/client/src/wire/request.ts';
import type { QualityView } from '@truecast/client/internal/wire/quality';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import type { DryRunView } from '../../packages/client/src/wire/response-format.ts';
import type { ChatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import type { JsonValue } from '../../packages/core/src/schema/json-value.ts';
import type { ProblemDocument } from '../../packages/server/src/contract/wire/problem-wire.ts';
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
  expectTypeOf<Extract<Schemas['MessagePart'], { type: 'tool_result' }>['result']>().toEqualTypeOf<unknown>();
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

test('the types of the client have exactly the members of the document', () => {
  expectTypeOf<MemberOf<ChatView>>().toEqualTypeOf<MemberOf<Schemas['Chat']>>();
  expectTypeOf<MemberOf<CreatedChatView>>().toEqualTypeOf<MemberOf<Schemas['CreatedChat']>>();
  expectTypeOf<MemberOf<ListedChatPageView>>().toEqualTypeOf<MemberOf<Schemas['ChatPage']>>();
  expectTypeOf<MemberOf<ModelView>>().toEqualTypeOf<MemberOf<Schemas['Model']>>();
  expectTypeOf<MemberOf<CreateChatBody>>().toEqualTypeOf<MemberOf<Schemas['CreateChat']>>();
  expectTypeOf<MemberOf<PatchChatBody>>().toEqualTypeOf<MemberOf<Schemas['PatchChat']>>();
  expectTypeOf<MemberOf<MessagePart>>().toEqualTypeOf<MemberOf<Schemas['MessagePart']>>();
  expectTypeOf<MemberOf<MessageView>>().toEqualTypeOf<MemberOf<Schemas['Message']>>();
  expectTypeOf<MemberOf<QueuedView>>().toEqualTypeOf<MemberOf<Schemas['QueuedMessage']>>();
  expectTypeOf<MemberOf<SentView>>().toEqualTypeOf<MemberOf<Schemas['SentMessage']>>();
  expectTypeOf<MemberOf<EditedView>>().toEqualTypeOf<MemberOf<Schemas['EditedMessage']>>();
  expectTypeOf<MemberOf<MessagePageView>>().toEqualTypeOf<MemberOf<Schemas['MessagePage']>>();
  expectTypeOf<MemberOf<QueueView>>().toEqualTypeOf<MemberOf<Schemas['Queue']>>();
  expectTypeOf<MemberOf<SendMessageBody>>().toEqualTypeOf<MemberOf<Schemas['SendMessage']>>();
  expectTypeOf<MemberOf<ToolResultsBody>>().toEqualTypeOf<MemberOf<Schemas['ToolResults']>>();
  expectTypeOf<MemberOf<DryRunView>>().toEqualTypeOf<MemberOf<Schemas['FormatReport']>>();
  expectTypeOf<MemberOf<RequestView>>().toEqualTypeOf<MemberOf<Schemas['Request']>>();
  expectTypeOf<MemberOf<RequestPageView>>().toEqualTypeOf<MemberOf<Schemas['RequestPage']>>();
  expectTypeOf<MemberOf<RequestDetailView>>().toEqualTypeOf<MemberOf<Schemas['RequestDetail']>>();
  expectTypeOf<MemberOf<SchemaPageView>>().toEqualTypeOf<MemberOf<Schemas['SchemaPage']>>();
  expectTypeOf<MemberOf<SchemaDetailView>>().toEqualTypeOf<MemberOf<Schemas['SchemaDetail']>>();
  expectTypeOf<MemberOf<QualityView>>().toEqualTypeOf<MemberOf<Schemas['Quality']>>();
  expectTypeOf<MemberOf<MeView>>().toEqualTypeOf<MemberOf<Schemas['Me']>>();
  expectTypeOf<MemberOf<UsageView>>().toEqualTypeOf<MemberOf<Schemas['Usage']>>();
  expectTypeOf<MemberOf<TokenListView>>().toEqualTypeOf<MemberOf<Schemas['TokenList']>>();
  expectTypeOf<MemberOf<IssuedTokenView>>().toEqualTypeOf<MemberOf<Schemas['IssuedToken']>>();
  expectTypeOf<MemberOf<CreateTokenBody>>().toEqualTypeOf<MemberOf<Schemas['CreateToken']>>();
  expectTypeOf<MemberOf<Receipt>>().toEqualTypeOf<MemberOf<Schemas['Receipt']>>();
  expectTypeOf<MemberOf<ChatStreamEvent>>().toEqualTypeOf<MemberOf<Schemas['ChatStreamEvent']>>();
});

test('a refusal is a problem document, and an answer is not', () => {
  type Responses = operations['readRequest']['responses'];
  expectTypeOf<Responses[200]['content']['application/json']>().toEqualTypeOf<Schemas['Receipt']>();
  expectTypeOf<Responses['default']['content']['application/problem+json']>().toEqualTypeOf<
    Schemas['ProblemDocument']
  >();
});

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** Each member as its path, `?` if it is optional, and its type. JSON of any kind has no members. */
type MemberOf<T> = [JsonValue] extends [T]
  ? '=json'
  : T extends readonly (infer TElement)[]
    ? `[]${MemberOf<TElement>}`
    : T extends object
      ? { [K in keyof T & string]-?: `.${K}${Optional<T, K>}${MemberOf<T[K]>}` }[keyof T & string] | '.'
      : T extends string | number | boolean
        ? `=${T}`
        : never;
type Optional<T, K extends keyof T> = object extends Pick<T, K> ? '?' : '';
