/** Request schema of OpenAI Responses. Pure. */
import { z } from 'zod';

/** Text, or parts of which some are text. */
export type ResponsesText = string | readonly { readonly type: string; readonly text?: string | undefined }[];

/** Types of result items, with the type of their call. */
export const CALL_OF_OUTPUT = {
  function_call_output: 'function_call',
  custom_tool_call_output: 'custom_tool_call',
  local_shell_call_output: 'local_shell_call',
} as const;

/** One input item. Unknown kinds keep their JSON in `raw`. */
export type ScriptedResponsesItem =
  | {
      readonly type: 'message';
      readonly role: 'system' | 'developer' | 'user' | 'assistant';
      readonly content: ResponsesText;
    }
  | {
      readonly type: 'function_call';
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: 'custom_tool_call';
      readonly call_id: string;
      readonly name: string;
      readonly input: string;
    }
  | { readonly type: 'local_shell_call'; readonly call_id: string; readonly action?: unknown }
  | { readonly type: keyof typeof CALL_OF_OUTPUT; readonly call_id: string; readonly output: ResponsesText }
  | {
      readonly type: 'reasoning';
      readonly summary?: readonly { readonly text?: string | undefined }[] | undefined;
    }
  | { readonly type: 'item_reference'; readonly id: string }
  | { readonly type: 'other'; readonly raw: unknown };

/** An offered tool; a `namespace` is a group of them. */
export interface ResponsesTool {
  readonly type: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly parameters?: unknown;
  readonly strict?: boolean | null | undefined;
  readonly tools?: readonly ResponsesTool[] | undefined;
}

/** Contents of `text.format`. */
export interface ResponsesFormat {
  readonly type: string;
  readonly name?: string | undefined;
  readonly schema?: unknown;
  readonly strict?: boolean | null | undefined;
}

/** A posted request, with the fields that the server needs. */
export interface ResponsesRequest {
  readonly model: string;
  readonly instructions?: string | null | undefined;
  readonly input: string | readonly ScriptedResponsesItem[];
  readonly tools?: readonly ResponsesTool[] | null | undefined;
  readonly text?: { readonly format?: ResponsesFormat | null | undefined } | null | undefined;
  readonly previous_response_id?: string | null | undefined;
  readonly stream?: boolean | null | undefined;
}

const KNOWN_ITEMS: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'item_reference',
  ...Object.entries(CALL_OF_OUTPUT).flat(),
]);

const text: z.ZodType<ResponsesText> = z.union([
  z.string(),
  z.array(z.object({ type: z.string(), text: z.string().optional() })),
]);

const item: z.ZodType<ScriptedResponsesItem> = z.preprocess(
  normalizeItem,
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('message'),
      role: z.enum(['system', 'developer', 'user', 'assistant']),
      content: text,
    }),
    z.object({
      type: z.literal('function_call'),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.object({
      type: z.literal('custom_tool_call'),
      call_id: z.string(),
      name: z.string(),
      input: z.string(),
    }),
    z.object({ type: z.literal('local_shell_call'), call_id: z.string(), action: z.unknown().optional() }),
    z.object({
      type: z.enum(['function_call_output', 'custom_tool_call_output', 'local_shell_call_output']),
      call_id: z.string(),
      output: text,
    }),
    z.object({
      type: z.literal('reasoning'),
      summary: z.array(z.object({ text: z.string().optional() })).optional(),
    }),
    z.object({ type: z.literal('item_reference'), id: z.string() }),
    z.object({ type: z.literal('other'), raw: z.unknown() }),
  ]),
);

const tool: z.ZodType<ResponsesTool> = z.object({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
  tools: z.array(z.lazy(() => tool)).optional(),
});

export const responsesRequestSchema: z.ZodType<ResponsesRequest> = z.object({
  model: z.string().min(1),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)]),
  tools: z.array(tool).nullish(),
  text: z
    .object({
      format: z
        .object({
          type: z.string(),
          name: z.string().optional(),
          schema: z.unknown().optional(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  previous_response_id: z.string().nullish(),
  stream: z.boolean().nullish(),
});

/** Parses one item that is known to be well-formed, such as a server-generated one. */
export function readResponsesItem(raw: unknown): ScriptedResponsesItem {
  return item.parse(raw);
}

/** A message can omit its type. Unknown items pass unchanged. */
function normalizeItem(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw;
  if (!('type' in raw)) return 'role' in raw ? { ...raw, type: 'message' } : raw;
  return typeof raw.type === 'string' && !KNOWN_ITEMS.has(raw.type) ? { type: 'other', raw } : raw;
}
