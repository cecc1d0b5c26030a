/** Item parser of the Responses API. Pure. */
import type { RowPart } from '../../contract/rows.ts';
import { z } from 'zod';
import type { ReadMessages } from './chat-messages.ts';
import { ADDRESS_TEXT, filePart, textPart } from './content-parts.ts';
import { refused } from '../wire/wire-failure.ts';
import type { ToolForm, WireMessage } from '../wire/wire-request.ts';
import { groupedName } from './responses-tools.ts';

type Absent<T> = T | null | undefined;

type ContentPart =
  | { readonly type: 'input_text' | 'output_text' | 'text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
  | { readonly type: 'input_image'; readonly image_url: string }
  | {
      readonly type: 'input_file';
      readonly file_data?: Absent<string>;
      readonly file_url?: Absent<string>;
      readonly filename?: Absent<string>;
    };

/** An item of `input`. An item without a type is a message. */
export type ResponsesItem =
  | {
      readonly type: 'message';
      readonly role: 'system' | 'developer' | 'user' | 'assistant';
      readonly content: readonly ContentPart[];
    }
  | {
      readonly type: 'function_call';
      readonly call_id: string;
      readonly name: string;
      readonly namespace?: Absent<string>;
      readonly arguments: string;
    }
  | {
      readonly type: 'custom_tool_call';
      readonly call_id: string;
      readonly name: string;
      readonly input: string;
    }
  | {
      readonly type: 'function_call_output' | 'custom_tool_call_output';
      readonly call_id: string;
      readonly output: readonly ContentPart[];
    }
  | { readonly type: 'reasoning' };

const content: z.ZodType<ContentPart> = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: z.string('Must be a URL: the server stores no files.'),
  }),
  z.looseObject({
    type: z.literal('input_file'),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
  }),
]);
const contents: z.ZodType<readonly ContentPart[]> = z.preprocess(
  (value) => (typeof value === 'string' ? [{ type: 'input_text', text: value }] : value),
  z.array(content, { error: 'Must be a string or a list of parts.' }),
);
const id = z.string().min(1);

export const responsesItemSchema: z.ZodType<ResponsesItem> = z.preprocess(
  (item) =>
    typeof item === 'object' && item !== null && !('type' in item) && 'role' in item
      ? { ...item, type: 'message' }
      : item,
  z.discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.literal('message'),
        role: z.enum(['system', 'developer', 'user', 'assistant']),
        content: contents,
      }),
      z.looseObject({
        type: z.literal('function_call'),
        call_id: id,
        name: id,
        namespace: z.string().nullish(),
        arguments: z.string(),
      }),
      z.looseObject({ type: z.literal('custom_tool_call'), call_id: id, name: id, input: z.string() }),
      z.looseObject({
        type: z.enum(['function_call_output', 'custom_tool_call_output']),
        call_id: id,
        output: contents,
      }),
      z.looseObject({ type: z.literal('reasoning') }),
    ],
    {
      error:
        'Must be a message, a call of a function or a custom tool, its output, or reasoning: the server stores no items to refer to.',
    },
  ),
);

/**
 * Converts items to messages. An assistant's text and its calls become one message. Services take files of
 * the user only, so those of outputs follow in a message of the user.
 */
export function itemMessages(
  items: readonly ResponsesItem[],
  forms: ReadonlyMap<string, ToolForm>,
): ReadMessages {
  const messages: WireMessage[] = [];
  let files: RowPart[] = [];
  const flush = (field: string): void => {
    if (files.length > 0) messages.push({ role: 'user', parts: [textPart(FILES_TEXT), ...files], field });
    files = [];
  };
  for (const [index, item] of items.entries()) {
    // Another model's reasoning is useless here, and can be encrypted.
    if (item.type === 'reasoning') continue;
    const field = `input[${index}]`;
    const parts = partsOf(item, forms);
    if (parts === undefined) {
      return { success: false, failure: refused(field, `\`${field}\`: ${ADDRESS_TEXT}`) };
    }
    const role = roleOf(item);
    if (role !== 'tool') flush(field);
    const last = messages.at(-1);
    if (role === 'assistant' && last?.role === 'assistant') {
      messages[messages.length - 1] = { ...last, parts: [...last.parts, ...parts] };
    } else if (role === 'tool') {
      messages.push({ role, parts: parts.filter(({ type }) => type === 'tool_result'), field });
      files.push(...parts.filter(({ type }) => type === 'file'));
    } else messages.push({ role, parts, field });
  }
  flush(`input[${items.length - 1}]`);
  return { success: true, messages };
}

const FILES_TEXT = 'Files from the tool results above:';

type Spoken = Exclude<ResponsesItem, { readonly type: 'reasoning' }>;

function roleOf(item: Spoken): WireMessage['role'] {
  if (item.type === 'message') return item.role === 'developer' ? 'system' : item.role;
  return item.type === 'function_call' || item.type === 'custom_tool_call' ? 'assistant' : 'tool';
}

function partsOf(item: Spoken, forms: ReadonlyMap<string, ToolForm>): readonly RowPart[] | undefined {
  switch (item.type) {
    case 'message':
      return contentParts(item.content);
    case 'function_call': {
      const { call_id, name, namespace, arguments: args } = item;
      const grouped = groupedName(namespace ?? '', name);
      const tool_name = forms.get(grouped)?.namespace === namespace && forms.has(grouped) ? grouped : name;
      return [{ type: 'tool_call', tool_call_id: call_id, tool_name, args }];
    }
    case 'custom_tool_call': {
      const { call_id, name, input } = item;
      return [{ type: 'tool_call', tool_call_id: call_id, tool_name: name, args: JSON.stringify({ input }) }];
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const parts = contentParts(item.output);
      const files = parts?.filter(({ type }) => type === 'file') ?? [];
      const text = parts?.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      const result = files.length === 0 || text !== '' ? text : 'The result is a file. It follows below.';
      // The name comes from the answered call.
      const told = { type: 'tool_result', tool_call_id: item.call_id, tool_name: '', result } as const;
      return parts === undefined ? undefined : [{ ...told, is_error: false }, ...files];
    }
    default:
      return item satisfies never;
  }
}

/** Undefined if a file's address is of no use. */
function contentParts(content: readonly ContentPart[]): readonly RowPart[] | undefined {
  const parts = content.map(contentPart);
  return parts.includes(undefined) ? undefined : parts.filter((part) => part !== undefined);
}

function contentPart(part: ContentPart): RowPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(part.text);
    case 'refusal':
      return textPart(part.refusal);
    case 'input_image':
      return filePart(part.image_url, 'image/*');
    case 'input_file':
      return filePart(part.file_data ?? part.file_url ?? '', 'application/pdf', part.filename);
    default:
      return part satisfies never;
  }
}
