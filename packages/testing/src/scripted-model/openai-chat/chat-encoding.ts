/** Message encoder of OpenAI Chat Completions: the body, and the chunk order of the stream. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { serviceId } from '../anthropic/anthropic-encoding.ts';
import type { ChatDialect } from './chat-dialects.ts';
import { cutText } from '../turn/cut-text.ts';
import {
  argumentsText,
  type EncodedMessage,
  type SettledBlock,
  type SettledMessage,
} from '../turn/model-wire.ts';
import type { JsonObject } from '../openai-responses/responses-items.ts';

const END_OF_STREAM = 'data: [DONE]\n\n';

/** Client options of the response. */
export interface ChatEncodingOptions {
  /** True if a last chunk without a choice reports the usage. */
  readonly includesUsage: boolean;
  readonly dialect: ChatDialect;
}

/**
 * Encodes a message: a chunk with the role, then each block's deltas, then a chunk with the finish
 * reason, then, if requested, one with the usage and no choice, then `[DONE]`.
 */
export function encodeChat(
  message: SettledMessage,
  { includesUsage, dialect }: ChatEncodingOptions,
): EncodedMessage {
  const head = {
    id: serviceId('chatcmpl'),
    created: nowSeconds(),
    model: message.model,
    system_fingerprint: dialect.fingerprint(message.model),
  };
  const calls = message.blocks.filter((block) => block.type === 'tool').map(wireCall);
  const finishReason = finishReasonOf(message, calls.length > 0);
  const usage = usageOf(message);
  const chunk = (choices: readonly JsonValue[], ofStream: JsonValue = null): string =>
    dataOf({
      ...head,
      object: 'chat.completion.chunk',
      choices: [...choices],
      ...(includesUsage && { usage: ofStream }),
    });
  const choice = (delta: JsonObject, reason: string | null = null): JsonValue => ({
    index: 0,
    delta: dialect.isStreamCoarse ? { role: 'assistant', content: '', ...delta } : delta,
    ...dialect.choiceFields,
    finish_reason: reason,
  });
  const events = [
    chunk([choice({ role: 'assistant', content: '' })]),
    ...deltasOf(message, calls, dialect).map((delta) => chunk([choice(delta)])),
    chunk([choice({}, finishReason)]),
    ...(includesUsage ? [chunk([], usage)] : []),
    END_OF_STREAM,
  ];
  const whole: JsonObject = {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: wholeMessage(message, calls, dialect),
        ...dialect.choiceFields,
        finish_reason: finishReason,
      },
    ],
    usage,
    ...dialect.bodyFields,
  };
  return { whole, events };
}

type ToolBlock = SettledBlock & { readonly type: 'tool' };

/** A call, with the field that grows in a stream. */
interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly field: 'arguments' | 'input';
  readonly text: string;
}

function wireCall(block: ToolBlock): WireCall {
  const { name, input, tool } = block;
  const head = { id: serviceId('call'), name };
  return tool?.kind === 'text' && typeof input === 'string'
    ? { ...head, kind: 'custom', field: 'input', text: input }
    : { ...head, kind: 'function', field: 'arguments', text: argumentsText(block) };
}

function callJson({ id, name, kind, field, text }: WireCall): JsonObject {
  return { id, type: kind, [kind]: { name, [field]: text } };
}

function wholeMessage(message: SettledMessage, calls: readonly WireCall[], dialect: ChatDialect): JsonObject {
  const said = joinTexts(message.blocks, 'text');
  const thought = joinTexts(message.blocks, 'thinking');
  const isRefusal = message.finishReason === 'refusal';
  return {
    role: 'assistant',
    content: said === '' && calls.length > 0 ? dialect.contentOfCalls : isRefusal ? null : said,
    ...dialect.emptyFields,
    ...(isRefusal && { refusal: said }),
    ...(thought !== '' && reasoningOf(thought, dialect)),
    ...(calls.length > 0 && { tool_calls: calls.map(callJson) }),
  };
}

function reasoningOf(text: string, { reasoningFields }: ChatDialect): JsonObject {
  return Object.fromEntries(reasoningFields.map((field) => [field, text]));
}

function joinTexts(blocks: readonly SettledBlock[], type: 'text' | 'thinking'): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('');
}

function deltasOf(
  { blocks, chunkChars, finishReason }: SettledMessage,
  calls: readonly WireCall[],
  dialect: ChatDialect,
): JsonObject[] {
  const textField = finishReason === 'refusal' ? 'refusal' : 'content';
  let called = 0;
  return blocks.flatMap((block) => {
    switch (block.type) {
      case 'text':
        return cutText(block.text, chunkChars).map((piece) => ({ [textField]: piece }));
      case 'thinking':
        return cutText(block.text, chunkChars).map((piece) => reasoningOf(piece, dialect));
      // No encoding exists: settling the message has failed.
      case 'web-search':
        return [];
      case 'tool':
      default: {
        const index = called;
        called += 1;
        return callDeltas(calls[index], index, dialect.isStreamCoarse ? undefined : chunkChars);
      }
    }
  });
}

/** Without `chunkChars` a call is sent whole. */
function callDeltas(call: WireCall | undefined, index: number, chunkChars: number | undefined): JsonObject[] {
  if (call === undefined) return [];
  if (chunkChars === undefined) return [{ tool_calls: [{ index, ...callJson(call) }] }];
  const { kind, field } = call;
  const announced: JsonObject = { index, ...callJson({ ...call, text: '' }) };
  return [
    { tool_calls: [announced] },
    ...cutText(call.text, chunkChars).map((piece) => ({
      tool_calls: [{ index, [kind]: { [field]: piece } }],
    })),
  ];
}

function finishReasonOf({ finishReason }: SettledMessage, callsTools: boolean): string {
  if (finishReason === 'length') return 'length';
  return callsTools ? 'tool_calls' : 'stop';
}

function usageOf({ usage }: SettledMessage): JsonObject {
  const promptTokens = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadInputTokens,
      cache_write_tokens: usage.cacheCreationInputTokens,
    },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function dataOf(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
