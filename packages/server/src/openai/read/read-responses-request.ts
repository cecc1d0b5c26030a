/** Request parser of `POST /v1/responses`. Pure. */
import { z } from 'zod';
import { checkConversation } from './check-conversation.ts';
import { readFormat } from './read-format.ts';
import { itemMessages, responsesItemSchema, type ResponsesItem } from './responses-items.ts';
import { hostedFailure, offeredTools, responsesToolsSchema } from './responses-tools.ts';
import { ignoredFields, unsupportedField } from './unsupported-fields.ts';
import { textPart } from './content-parts.ts';
import type { ReadRequest, WireMessage, WireRequest } from '../wire/wire-request.ts';
import { schemaFailure, SHARED_FIELDS } from '../wire/wire-schemas.ts';
import { toolsFailure } from '../wire/wire-tools.ts';

const input: z.ZodType<readonly ResponsesItem[]> = z.preprocess(
  (value) => (typeof value === 'string' ? [{ type: 'message', role: 'user', content: value }] : value),
  z.array(responsesItemSchema, { error: 'Must be a string or a list of items.' }).min(1),
);
const bodySchema = z.looseObject({
  ...SHARED_FIELDS,
  input,
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  tools: responsesToolsSchema,
  tool_choice: z
    .union(
      [
        z.enum(['auto', 'none', 'required']),
        z.looseObject({ type: z.enum(['function', 'custom']), name: z.string() }),
      ],
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
export function readResponsesRequest(text: string, value: Readonly<Record<string, unknown>>): ReadRequest {
  const unsupported = unsupportedField(value, 'responses');
  if (unsupported !== undefined) return { success: false, failure: unsupported };
  const parsed = bodySchema.safeParse(value, { reportInput: true });
  if (!parsed.success) return { success: false, failure: schemaFailure(parsed.error) };
  const read = readFormat(text, value, 'responses');
  if (!read.success) return read;
  const items = itemMessages(parsed.data.input, offeredTools(parsed.data.tools ?? []).forms);
  if (!items.success) return items;
  const conversation = checkConversation([...instructions(parsed.data), ...items.messages]);
  if (!conversation.success) return conversation;
  const sent = parsed.data.tools ?? [];
  const { setAside, forms: toolForms, tools } = offeredTools(sent);
  const request = toRequest(parsed.data, {
    format: read.format,
    messages: conversation.messages,
    tools,
    toolForms,
    ignored: [...setAside, ...ignoredFields(value, 'responses')],
  });
  const failure = hostedFailure(sent, parsed.data.tool_choice) ?? toolsFailure(request);
  return failure === undefined ? { success: true, request } : { success: false, failure };
}

function instructions({ instructions: text }: Body): WireMessage[] {
  return typeof text === 'string' && text !== ''
    ? [{ role: 'system', parts: [textPart(text)], field: 'instructions' }]
    : [];
}

type Converted = 'format' | 'messages' | 'tools' | 'toolForms' | 'ignored';

function toRequest(body: Body, rest: Pick<WireRequest, Converted>): WireRequest {
  const { temperature, top_p } = body;
  const choice = body.tool_choice ?? 'auto';
  return {
    ...rest,
    model: body.model,
    toolChoice: typeof choice === 'string' ? choice : { name: choice.name },
    allowsParallelCalls: body.parallel_tool_calls !== false,
    sampling: {
      ...(typeof temperature === 'number' && { temperature }),
      ...(typeof top_p === 'number' && { topP: top_p }),
    },
    maxOutputTokens: body.max_output_tokens ?? undefined,
    isStreamed: body.stream === true,
    includesUsage: true,
  };
}
