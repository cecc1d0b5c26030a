/** Request schema of OpenAI Chat Completions. Pure. */
import { z } from 'zod';

/** Text, or parts of which some are text. Null if an assistant only called tools. */
export type ChatContent =
  | string
  | readonly { readonly type: string; readonly text?: string | undefined }[]
  | null
  | undefined;

/** A tool call in an assistant's message. */
export type ChatToolCall =
  | {
      readonly type: 'function';
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly type: 'custom';
      readonly id: string;
      readonly custom: { readonly name: string; readonly input: string };
    };

/** One posted message. */
export type ScriptedChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: ChatContent }
  | {
      readonly role: 'assistant';
      readonly content?: ChatContent;
      readonly refusal?: string | null | undefined;
      /** The model's reasoning, as posted by clients of compatible servers. */
      readonly reasoning_content?: string | null | undefined;
      readonly tool_calls?: readonly ChatToolCall[] | null | undefined;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: ChatContent };

export type ChatTool =
  | {
      readonly type: 'function';
      readonly function: {
        readonly name?: string | undefined;
        readonly description?: string | undefined;
        readonly parameters?: unknown;
        readonly strict?: boolean | null | undefined;
      };
    }
  | {
      readonly type: 'custom';
      readonly custom: { readonly name?: string | undefined; readonly description?: string | undefined };
    };

/** Contents of `response_format`. */
export interface ChatFormat {
  readonly type: 'text' | 'json_object' | 'json_schema';
  readonly json_schema?:
    | {
        readonly name?: string | undefined;
        readonly schema?: unknown;
        readonly strict?: boolean | null | undefined;
      }
    | undefined;
  /** Schema beside `json_object`, on servers of llama.cpp. */
  readonly schema?: unknown;
}

/** A posted request, with the fields that the server needs. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ScriptedChatMessage[];
  readonly tools?: readonly ChatTool[] | null | undefined;
  readonly response_format?: ChatFormat | null | undefined;
  readonly tool_choice?: unknown;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | undefined } | null | undefined;
}

const pieces = z.array(z.object({ type: z.string(), text: z.string().optional() }));
const content = z.union([z.string(), pieces]);

const toolCall = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    id: z.string(),
    function: z.object({ name: z.string(), arguments: z.string() }),
  }),
  z.object({
    type: z.literal('custom'),
    id: z.string(),
    custom: z.object({ name: z.string(), input: z.string() }),
  }),
]);

const message: z.ZodType<ScriptedChatMessage> = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer', 'user']), content }),
  z.object({
    role: z.literal('assistant'),
    content: content.nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content }),
]);

const description = z.string().optional();

const tool: z.ZodType<ChatTool> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    function: z.object({
      name: z.string().optional(),
      description,
      parameters: z.unknown().optional(),
      strict: z.boolean().nullish(),
    }),
  }),
  z.object({
    type: z.literal('custom'),
    custom: z.object({ name: z.string().optional(), description }),
  }),
]);

export const chatRequestSchema: z.ZodType<ChatRequest> = z.object({
  model: z.string().min(1),
  messages: z.array(message),
  tools: z.array(tool).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: z
    .object({
      type: z.enum(['text', 'json_object', 'json_schema']),
      json_schema: z
        .object({
          name: z.string().optional(),
          schema: z.unknown().optional(),
          strict: z.boolean().nullish(),
        })
        .optional(),
      schema: z.unknown().optional(),
    })
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
