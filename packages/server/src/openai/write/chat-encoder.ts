/** Response encoder of Chat Completions. */
import { randomUUID } from 'node:crypto';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import { piecesOf, type AnswerEncoder } from './answer-encoder.ts';
import { promptTokens, workField, type WireAnswer } from '../wire/wire-answer.ts';
import { errorBody } from '../wire/wire-failure.ts';
import type { WireRequest } from '../wire/wire-request.ts';

/**
 * Creates the encoder of one answer. A stream contains the role, the text, function calls, the
 * finish reason, usage if requested, and `[DONE]`.
 */
export function chatEncoder({ model, includesUsage }: WireRequest): AnswerEncoder {
  const id = `chatcmpl-${randomUUID()}`;
  const created = Math.floor(Date.now() / 1_000);
  let told = '';
  const chunk = (choices: readonly unknown[], usage: unknown = null, rest: object = {}): string =>
    dataLine({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...(includesUsage && { usage }),
      ...rest,
    });
  const delta = (value: object): string =>
    chunk([{ index: 0, delta: value, logprobs: null, finish_reason: null }]);
  const text = (words: string): string => {
    told += words;
    return delta({ content: words });
  };
  return {
    id,
    whole: (answer) => ({
      id,
      object: 'chat.completion',
      created,
      model,
      choices: [{ index: 0, message: messageOf(answer), logprobs: null, finish_reason: answer.finishReason }],
      ...(answer.usage !== undefined && { usage: usageOf(answer.usage) }),
      ...workField(answer),
    }),
    begin: () => delta({ role: 'assistant', content: '', refusal: null }),
    text,
    reasoning: (words) => delta({ reasoning_content: words }),
    end: (answer) =>
      [
        ...piecesOf(answer.text.slice(told.length)).map(text),
        // A refusal that was streamed as content cannot be taken back.
        ...(told === '' ? piecesOf(answer.refusal ?? '').map((refusal) => delta({ refusal })) : []),
        ...answer.calls.map((call, index) => delta({ tool_calls: [{ index, ...toolCall(call) }] })),
        chunk([endChoice(answer)], null, workField(answer)),
        ...(includesUsage && answer.usage !== undefined ? [chunk([], usageOf(answer.usage))] : []),
        DONE,
      ].join(''),
    failed: (failure) => `${dataLine(errorBody(failure))}${DONE}`,
  };
}

const DONE = 'data: [DONE]\n\n';

function endChoice({ finishReason }: WireAnswer): object {
  return { index: 0, delta: {}, logprobs: null, finish_reason: finishReason };
}

function dataLine(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function messageOf({ text, calls, refusal, reasoning }: WireAnswer): object {
  const isWithoutText = text === '' && (calls.length > 0 || refusal !== undefined);
  return {
    role: 'assistant',
    content: isWithoutText ? null : text,
    refusal: refusal ?? null,
    // No field of OpenAI's, but of many services.
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    annotations: [],
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  };
}

function toolCall({ tool_call_id, tool_name, args }: ToolCallPart): object {
  return { id: tool_call_id, type: 'function', function: { name: tool_name, arguments: args } };
}

function usageOf(usage: Usage): object {
  const prompt = promptTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadInputTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
