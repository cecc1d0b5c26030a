/** Message encoder of Anthropic Messages: the body, and the event order of the stream. */
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { cutText } from '../turn/cut-text.ts';
import {
  argumentsText,
  type EncodedMessage,
  serverSentEvent,
  type SettledBlock,
  type SettledMessage,
} from '../turn/model-wire.ts';
import type { ScriptedWebSearch } from '../turn/scripted-reply.ts';

/**
 * Encodes a message: `message_start`, then for each block `content_block_start`, its deltas and
 * `content_block_stop`, then `message_delta` with the stop reason and the usage, then
 * `message_stop`.
 */
export function encodeAnthropic(message: SettledMessage): EncodedMessage {
  const content = message.blocks.flatMap(wholeBlocks);
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
      ...message.blocks
        .flatMap((block) => writtenBlocks(block))
        .flatMap((block, index) => blockEvents(block, index, message.chunkChars)),
      serverSentEvent('message_delta', {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage,
      }),
      serverSentEvent('message_stop', { type: 'message_stop' }),
    ],
  };
}

/**
 * A fresh id with the service's prefix. Clients identify messages and calls across sessions by it.
 */
export function serviceId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use' | 'server_tool_use'; id: string; name: string; input: JsonValue }
  | { type: 'web_search_tool_result'; tool_use_id: string; content: JsonValue };

interface WrittenBlock {
  readonly block: WireBlock;
  /** As the model wrote them. */
  readonly argumentsWritten: string;
}

function wholeBlocks(block: SettledBlock): WireBlock[] {
  return writtenBlocks(block).map(({ block: whole }) => whole);
}

function writtenBlocks(block: SettledBlock): WrittenBlock[] {
  switch (block.type) {
    case 'text':
      return [{ block: { type: 'text', text: block.text }, argumentsWritten: '' }];
    case 'thinking':
      return [
        {
          block: { type: 'thinking', thinking: block.text, signature: 'c2NyaXB0ZWQ=' },
          argumentsWritten: '',
        },
      ];
    case 'web-search':
      return searchBlocks(block.search);
    case 'tool':
    default:
      return [
        {
          block: { type: 'tool_use', id: serviceId('toolu'), name: block.name, input: block.input },
          argumentsWritten: argumentsText(block),
        },
      ];
  }
}

/** A call of the service's own tool and its result are two blocks of the same message. */
function searchBlocks({ query, pages = [], errorCode, result = 'whole' }: ScriptedWebSearch): WrittenBlock[] {
  const isResult = typeof result === 'object';
  const id = isResult ? result.of : serviceId('srvtoolu');
  const input = { query };
  const content: JsonValue =
    errorCode === undefined
      ? pages.map(({ url, title }) => ({
          type: 'web_search_result',
          url,
          title,
          encrypted_content: Buffer.from(url).toString('base64'),
          page_age: null,
        }))
      : { type: 'web_search_tool_result_error', error_code: errorCode };
  const call: WireBlock = { type: 'server_tool_use', id, name: 'web_search', input };
  const found: WireBlock = { type: 'web_search_tool_result', tool_use_id: id, content };
  return [
    ...(isResult ? [] : [{ block: call, argumentsWritten: JSON.stringify(input) }]),
    ...(result === 'none' ? [] : [{ block: found, argumentsWritten: '' }]),
  ];
}

function blockEvents({ block, argumentsWritten }: WrittenBlock, index: number, chunkChars: number): string[] {
  const { start, deltas } = startAndDeltas(block, argumentsWritten, chunkChars);
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
    case 'web_search_tool_result':
      return { start: block, deltas: [] };
    case 'tool_use':
    case 'server_tool_use':
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
  if (message.blocks.some((block) => block.type === 'tool')) return 'tool_use';
  const last = message.blocks.at(-1);
  return last?.type === 'web-search' && last.search.result === 'none' ? 'pause_turn' : 'end_turn';
}

function usageOf({ usage }: SettledMessage): { [key: string]: JsonValue } {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
    output_tokens: usage.outputTokens,
  };
}
