/** Response object of the Responses API: its frame, which repeats the request, and its items. */
import { randomUUID } from 'node:crypto';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import { promptTokens, workField, type WireAnswer } from '../wire/wire-answer.ts';
import type { ToolForm, WireRequest } from '../wire/wire-request.ts';

/** A response without its status and items. */
export type ResponseFrame = Readonly<Record<string, unknown>> & { readonly id: string };

export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** Request fields to repeat. Omitted ones have OpenAI's defaults. */
export function responseFrame(
  { model, allowsParallelCalls, maxOutputTokens }: WireRequest,
  body: Readonly<Record<string, unknown>>,
): ResponseFrame {
  const told = (field: string, otherwise: unknown): unknown => body[field] ?? otherwise;
  return {
    id: `resp_${randomUUID()}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    model,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: told('instructions', null),
    max_output_tokens: maxOutputTokens ?? null,
    metadata: told('metadata', {}),
    parallel_tool_calls: allowsParallelCalls,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: told('temperature', 1),
    text: told('text', { format: { type: 'text' } }),
    tool_choice: told('tool_choice', 'auto'),
    tools: told('tools', []),
    top_p: told('top_p', 1),
    truncation: 'disabled',
  };
}

/** Why an answer is incomplete. Undefined for a complete one. */
export function incompleteReason({ finishReason }: WireAnswer): string | undefined {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : undefined;
}

export function endedResponse(
  frame: ResponseFrame,
  answer: WireAnswer,
  output: readonly OutputItem[],
): Readonly<Record<string, unknown>> {
  const reason = incompleteReason(answer);
  return {
    ...frame,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: answer.usage === undefined ? null : usageOf(answer.usage),
    ...workField(answer),
  };
}

export function messageItem(id: string, content: object, isDone = true): OutputItem {
  return {
    id,
    type: 'message',
    status: isDone ? 'completed' : 'in_progress',
    role: 'assistant',
    content: isDone ? [content] : [],
  };
}

/** Creates the text part of that item. */
export function textContent(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Creates the refusal part of that item. */
export function refusalContent(refusal: string): object {
  return { type: 'refusal', refusal };
}

/** Creates the item of a call, in the form that the caller knows. */
export function callItem(
  id: string,
  { tool_call_id, tool_name, args }: ToolCallPart,
  form: ToolForm | undefined,
  isDone = true,
): OutputItem {
  const head = { id, status: isDone ? 'completed' : 'in_progress', call_id: tool_call_id };
  const { name = tool_name, namespace, isText = false } = form ?? {};
  const group = namespace === undefined ? {} : { namespace };
  return isText
    ? { ...head, type: 'custom_tool_call', name, ...group, input: isDone ? textInput(args) : '' }
    : { ...head, type: 'function_call', name, ...group, arguments: isDone ? args : '' };
}

/** Returns the input of a custom tool. Arguments in another form are its input as they are. */
export function textInput(args: string): string {
  const parsed = parseJson(args);
  const value: unknown = parsed.success ? parsed.value : undefined;
  return isRecord(value) && typeof value['input'] === 'string' ? value['input'] : args;
}

function usageOf(usage: Usage): object {
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.outputTokens,
  };
}
