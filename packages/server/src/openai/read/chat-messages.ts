/** Message parser of Chat Completions. Pure. */
import type { RowPart } from '../../contract/rows.ts';
import { z } from 'zod';
import { ADDRESS_TEXT, filePart, textPart } from './content-parts.ts';
import { refused, type WireFailure } from '../wire/wire-failure.ts';
import type { WireMessage } from '../wire/wire-request.ts';

interface WordsPart {
  readonly type: 'text';
  readonly text: string;
}

type UserPart =
  | WordsPart
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | {
      readonly type: 'input_audio';
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' };
    }
  | {
      readonly type: 'file';
      readonly file: { readonly file_data: string; readonly filename?: Absent<string> };
    };

type AssistantPart = WordsPart | { readonly type: 'refusal'; readonly refusal: string };
type Absent<T> = T | null | undefined;

interface AssistantMessage {
  readonly role: 'assistant';
  readonly content?: Absent<readonly AssistantPart[]>;
  readonly refusal?: Absent<string>;
  readonly tool_calls?: Absent<
    readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[]
  >;
}

/** A message as sent. A plain string becomes its only part. */
export type ChatMessage =
  | { readonly role: 'system' | 'developer'; readonly content: readonly WordsPart[] }
  | { readonly role: 'user'; readonly content: readonly UserPart[] }
  | AssistantMessage
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: readonly WordsPart[] };

const words = z.looseObject({ type: z.literal('text'), text: z.string() });
const userPart: z.ZodType<UserPart> = z.discriminatedUnion('type', [
  words,
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
  z.looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.base64(), format: z.enum(['wav', 'mp3']) }),
  }),
  z.looseObject({
    type: z.literal('file'),
    file: z.looseObject({
      file_data: z.string('Must be the data itself: the server stores no files.'),
      filename: z.string().nullish(),
    }),
  }),
]);
const assistantPart: z.ZodType<AssistantPart> = z.discriminatedUnion('type', [
  words,
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
]);
const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function', 'Must be "function": no other type of tool is supported.'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

/** Separates strings from lists before validation, so that problems name the exact place. */
function textOr<TPart>(part: z.ZodType<TPart>): z.ZodType<readonly TPart[]> {
  return z.preprocess(
    (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    z.array(part, { error: 'Must be a string or a list of parts.' }),
  );
}

export const chatMessageSchema: z.ZodType<ChatMessage> = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content: textOr(words) }),
  z.looseObject({ role: z.literal('user'), content: textOr(userPart) }),
  z.looseObject({
    role: z.literal('assistant'),
    content: textOr(assistantPart).nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: textOr(words) }),
]);

/** Messages, or the first problem. */
export type ReadMessages =
  | { readonly success: true; readonly messages: readonly WireMessage[] }
  | { readonly success: false; readonly failure: WireFailure };

/** Converts each message to parts. */
export function toWireMessages(messages: readonly ChatMessage[]): ReadMessages {
  const made: WireMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const field = `messages[${index}]`;
    const parts = partsOf(message);
    if (parts === undefined) {
      return {
        success: false,
        failure: refused(`${field}.content`, `\`${field}.content\`: ${ADDRESS_TEXT}`),
      };
    }
    made.push({ role: message.role === 'developer' ? 'system' : message.role, parts, field });
  }
  return { success: true, messages: made };
}

function partsOf(message: ChatMessage): readonly RowPart[] | undefined {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [textPart(joined(message.content))];
    case 'user': {
      const parts = message.content.map(userContent);
      return parts.includes(undefined) ? undefined : parts.filter((part) => part !== undefined);
    }
    case 'assistant':
      return assistantParts(message);
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_call_id: message.tool_call_id,
          // The name comes from the answered call.
          tool_name: '',
          result: joined(message.content),
          is_error: false,
        },
      ];
    default:
      return message satisfies never;
  }
}

function userContent(part: UserPart): RowPart | undefined {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'image_url':
      return filePart(part.image_url.url, 'image/*');
    case 'input_audio':
      return {
        type: 'file',
        media_type: part.input_audio.format === 'wav' ? 'audio/wav' : 'audio/mpeg',
        data: part.input_audio.data,
      };
    case 'file':
      return filePart(part.file.file_data, 'application/octet-stream', part.file.filename);
    default:
      return part satisfies never;
  }
}

function assistantParts({ content, refusal: refused, tool_calls }: AssistantMessage): RowPart[] {
  const said = (content ?? []).map((part) => textPart(part.type === 'text' ? part.text : part.refusal));
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: args } }): RowPart => ({
    type: 'tool_call',
    tool_call_id: id,
    tool_name: name,
    args,
  }));
  return [...said, ...(typeof refused === 'string' ? [textPart(refused)] : []), ...calls];
}

function joined(content: readonly WordsPart[]): string {
  return content.map((part) => part.text).join('');
}
