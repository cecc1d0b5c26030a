/** Request schema of Anthropic Messages, and its conversion to a neutral turn. Pure. */
import { z } from 'zod';
import type { OfferedTool, PostedTurn, TurnMessage, TurnPart } from '../turn/scripted-turn.ts';
import { NATIVE_ANSWER_TOOL } from '../turn/settle-message.ts';

/** A content block. Unknown kinds keep their JSON in `raw`. */
export type AnthropicBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input?: unknown }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content?: string | readonly AnthropicBlock[] | undefined;
      readonly is_error?: boolean | undefined;
    }
  | { readonly type: 'other'; readonly raw: unknown };

/** A posted message. Claude Code posts `system` messages in the middle too. */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly AnthropicBlock[];
}

/** An offered tool. One without an `input_schema` belongs to the service. */
export interface AnthropicTool {
  readonly name: string;
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly input_schema?: Readonly<Record<string, unknown>> | undefined;
}

/** A posted request, with the fields that the server needs. */
export interface AnthropicRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly AnthropicMessage[];
  readonly system?: string | readonly AnthropicBlock[] | undefined;
  readonly tools?: readonly AnthropicTool[] | undefined;
  readonly tool_choice?: { readonly type: string; readonly name?: string | undefined } | undefined;
  readonly output_config?:
    | { readonly format?: { readonly type: string; readonly schema?: unknown } | null | undefined }
    | undefined;
  readonly stream?: boolean | undefined;
}

const KNOWN_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'tool_use', 'tool_result']);

const block: z.ZodType<AnthropicBlock> = z.preprocess(
  (raw) => (isUnknownBlock(raw) ? { type: 'other', raw } : raw),
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('thinking'), thinking: z.string() }),
    z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
    z.object({
      type: z.literal('tool_result'),
      tool_use_id: z.string(),
      content: z.union([z.string(), z.array(z.lazy(() => block))]).optional(),
      is_error: z.boolean().optional(),
    }),
    z.object({ type: z.literal('other'), raw: z.unknown() }),
  ]),
);

const content = z.union([z.string(), z.array(block)]);

export const anthropicRequestSchema: z.ZodType<AnthropicRequest> = z.object({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content })),
  system: content.optional(),
  tools: z
    .array(
      z.object({
        name: z.string(),
        type: z.string().optional(),
        description: z.string().optional(),
        input_schema: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional(),
  tool_choice: z.object({ type: z.string(), name: z.string().optional() }).optional(),
  output_config: z
    .object({ format: z.object({ type: z.string(), schema: z.unknown().optional() }).nullish() })
    .optional(),
  stream: z.boolean().optional(),
});

/** The blocks of a content, which can be a plain string. */
export function blocksOf(posted: string | readonly AnthropicBlock[]): readonly AnthropicBlock[] {
  return typeof posted === 'string' ? [{ type: 'text', text: posted }] : posted;
}

/** Converts a request to a neutral turn. */
export function neutralTurn(request: AnthropicRequest): PostedTurn {
  const names = new Map<string, string>();
  const system: readonly TurnMessage[] =
    request.system === undefined ? [] : [{ role: 'system', parts: partsOf(request.system, names) }];
  const messages = request.messages.map((posted) => ({
    role: posted.role,
    parts: partsOf(posted.content, names),
  }));
  return {
    model: request.model,
    messages: [...system, ...messages],
    tools: (request.tools ?? []).map(neutralTool),
    jsonSchema: nativeSchema(request),
    isStreaming: request.stream ?? false,
  };
}

function nativeSchema({ output_config: config, tools = [] }: AnthropicRequest): unknown {
  return config?.format?.schema ?? tools.find((tool) => tool.name === NATIVE_ANSWER_TOOL)?.input_schema;
}

function neutralTool(tool: AnthropicTool): OfferedTool {
  return {
    name: tool.name,
    kind: tool.input_schema === undefined ? 'built-in' : 'function',
    description: tool.description ?? '',
    inputSchema: tool.input_schema,
  };
}

function partsOf(posted: string | readonly AnthropicBlock[], names: Map<string, string>): TurnPart[] {
  return blocksOf(posted).map((each) => partOf(each, names));
}

function partOf(posted: AnthropicBlock, names: Map<string, string>): TurnPart {
  switch (posted.type) {
    case 'text':
      return { type: 'text', text: posted.text };
    case 'thinking':
      return { type: 'thinking', text: posted.thinking };
    case 'tool_use':
      names.set(posted.id, posted.name);
      return { type: 'tool-call', id: posted.id, name: posted.name, input: posted.input };
    case 'tool_result':
      return {
        type: 'tool-result',
        id: posted.tool_use_id,
        name: names.get(posted.tool_use_id) ?? '',
        text: resultText(posted.content ?? ''),
        isError: posted.is_error ?? false,
      };
    case 'other':
    default:
      return posted;
  }
}

function resultText(posted: string | readonly AnthropicBlock[]): string {
  return blocksOf(posted)
    .map((each) => (each.type === 'text' ? each.text : ''))
    .join('');
}

function isUnknownBlock(raw: unknown): boolean {
  return (
    typeof raw === 'object' &&
    raw !== null &&
    'type' in raw &&
    typeof raw.type === 'string' &&
    !KNOWN_BLOCKS.has(raw.type)
  );
}
