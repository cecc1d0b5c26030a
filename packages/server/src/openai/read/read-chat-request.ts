/** Request parser of `POST /v1/chat/completions`. Pure. */
import { z } from 'zod';
import type { SamplingSettings } from '../../models/chat-model.ts';
import { chatMessageSchema, toWireMessages } from './chat-messages.ts';
import { checkConversation } from './check-conversation.ts';
import { readFormat } from './read-format.ts';
import { toolsFailure, toolDefinition } from '../wire/wire-tools.ts';
import { ignoredFields, unsupportedField } from './unsupported-fields.ts';
import type { ReadRequest, WireRequest } from '../wire/wire-request.ts';
import { FUNCTION_FIELDS, schemaFailure, SHARED_FIELDS, toolList } from '../wire/wire-schemas.ts';

const named = z.looseObject({ name: z.string() });
const tool = z.looseObject({
  type: z.literal('function', 'Must be "function": no other type of tool is supported.'),
  function: z.looseObject(FUNCTION_FIELDS),
});
/** Maximum number of stop sequences, as in OpenAI's API. */
const MAX_STOPS = 4;
const penalty = z.number().min(-2).max(2).nullish();
const tokens = z.int().min(1).nullish();
const bodySchema = z.looseObject({
  ...SHARED_FIELDS,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  seed: z.int().nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(MAX_STOPS)], {
      error: `Must be a string or at most ${MAX_STOPS} of them.`,
    })
    .nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  messages: z.array(chatMessageSchema).min(1),
  tools: toolList(tool),
  tool_choice: z
    .union(
      [z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.literal('function'), function: named })],
      { error: 'Must be "auto", "none", "required", or one function by its name.' },
    )
    .nullish(),
});

type Body = z.infer<typeof bodySchema>;

/**
 * Parses a body.
 *
 * @param text - the raw body
 * @param value - the parsed body
 */
export function readChatRequest(text: string, value: Readonly<Record<string, unknown>>): ReadRequest {
  const unsupported = unsupportedField(value, 'chat');
  if (unsupported !== undefined) return { success: false, failure: unsupported };
  const parsed = bodySchema.safeParse(value, { reportInput: true });
  if (!parsed.success) return { success: false, failure: schemaFailure(parsed.error) };
  const read = readFormat(text, value, 'chat');
  if (!read.success) return read;
  const messages = toWireMessages(parsed.data.messages);
  if (!messages.success) return messages;
  const conversation = checkConversation(messages.messages);
  if (!conversation.success) return conversation;
  const request = toRequest(parsed.data, {
    format: read.format,
    messages: conversation.messages,
    ignored: ignoredFields(value, 'chat'),
  });
  const failure = toolsFailure(request);
  return failure === undefined ? { success: true, request } : { success: false, failure };
}

function toRequest(body: Body, rest: Pick<WireRequest, 'format' | 'messages' | 'ignored'>): WireRequest {
  const choice = body.tool_choice ?? 'auto';
  return {
    ...rest,
    model: body.model,
    tools: (body.tools ?? []).map(({ function: definition }) => toolDefinition(definition)),
    toolForms: new Map(),
    toolChoice: typeof choice === 'string' ? choice : { name: choice.function.name },
    allowsParallelCalls: body.parallel_tool_calls !== false,
    sampling: samplingOf(body),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

function samplingOf(body: Body): SamplingSettings {
  const { temperature, top_p, presence_penalty, frequency_penalty, seed, stop } = body;
  return {
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(typeof presence_penalty === 'number' && { presencePenalty: presence_penalty }),
    ...(typeof frequency_penalty === 'number' && { frequencyPenalty: frequency_penalty }),
    ...(typeof seed === 'number' && { seed }),
    ...(stop !== undefined && stop !== null && { stopSequences: [stop].flat() }),
  };
}
