/** Owns a message in the words of Anthropic Messages: the whole of it, and the order of its stream. */
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../schema/json-value.ts';
import { cutText } from './cut-text.ts';
import {
  argumentsText,
  type EncodedMessage,
  serverSentEvent,
  type SettledBlock,
  type SettledMessage,
} from './model-wire.ts';

/**
 * Encodes a message: `message_start`, then for each block `content_block_start`, its deltas and `content_block_stop`, then
 * `message_delta` with the stop reason and the usage, then `message_stop`.
 */
export function encodeAnthropic(message: SettledMessage): EncodedMessage {
  const content = message.blocks.map(wholeBlock);
  const stopReason = stopReasonOf(message);
  const usage = usageOf(message);
  const head = {
    id: serviceId('msg'),
    type: 'message',
    role: 'assistant',
    model: message.model,
    stop_sequence: null,
  };
  return {
    whole: { ...head, content, stop_reason: stopReason, usage },
    events: [
      serverSentEvent('message_start', {
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      }),
      serverSentEvent('ping', { type: 'ping' }),
      ...message.blocks.flatMap((block, index) => blockEvents(block, index, message.chunkChars)),
      serverSentEvent('message_delta', {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage,
      }),
      serverSentEvent('message_stop', { type: 'message_stop' }),
    ],
  };
}

/** A fresh id with the service's prefix: clients tell messages and calls of all their sessions apart by it. */
export function serviceId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonValue };

function wholeBlock(block: SettledBlock): WireBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: 'c2NyaXB0ZWQ=' };
    case 'tool':
    default:
      return { type: 'tool_use', id: serviceId('toolu'), name: block.name, input: block.input };
  }
}

function blockEvents(block: SettledBlock, index: number, chunkChars: number): string[] {
  const argumentsWritten = block.type === 'tool' ? argumentsText(block) : '';
  const { start, deltas } = startAndDeltas(wholeBlock(block), argumentsWritten, chunkChars);
  return [
    serverSentEvent('content_block_start', { type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) =>
      serverSentEvent('content_block_delta', { type: 'content_block_delta', index, delta }),
    ),
    serverSentEvent('content_block_stop', { type: 'content_block_stop', index }),
  ];
}

function startAndDeltas(
  block: WireBlock,
  argumentsWritten: string,
  chunkChars: number,
): { start: WireBlock; deltas: JsonValue[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: cutText(block.text, chunkChars).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...cutText(block.thinking, chunkChars).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
    default:
      return {
        start: { ...block, input: {} },
        deltas: cutText(argumentsWritten, chunkChars).map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      };
  }
}

function stopReasonOf(message: SettledMessage): string {
  if (message.finishReason === 'length') return 'max_tokens';
  if (message.finishReason === 'refusal') return 'refusal';
  return message.blocks.some((block) => block.type === 'tool') ? 'tool_use' : 'end_turn';
}

function usageOf({ usage }: SettledMessage): { [key: string]: JsonValue } {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
    output_tokens: usage.outputTokens,
  };
}
