/** Output item of OpenAI Responses: announced, growing, and done. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { serviceId } from '../anthropic/anthropic-encoding.ts';
import { cutText } from '../turn/cut-text.ts';
import { argumentsText, type SettledBlock, type SettledMessage } from '../turn/model-wire.ts';
import type { ScriptedWebSearch } from '../turn/scripted-reply.ts';

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A completed output item. */
export interface WireItem extends JsonObject {
  type: string;
  id: string;
}

/** An item and the events between its announcement and its end, without their item id and index. */
export interface EncodedItem {
  readonly item: WireItem;
  /** The item before its first delta. */
  readonly announced: JsonObject;
  readonly body: readonly (JsonObject & { type: string })[];
}

export function encodeItem(
  block: SettledBlock,
  { chunkChars, finishReason }: Pick<SettledMessage, 'chunkChars' | 'finishReason'>,
): EncodedItem {
  switch (block.type) {
    case 'text':
      return finishReason === 'refusal'
        ? refusalItem(block.text, chunkChars)
        : textItem(block.text, chunkChars);
    case 'thinking':
      return reasoningItem(block.text, chunkChars);
    case 'web-search':
      return searchItem(block.search);
    case 'tool':
    default:
      return callItem(block, chunkChars);
  }
}

function textItem(text: string, chunkChars: number): EncodedItem {
  const head = { type: 'message', id: serviceId('msg'), role: 'assistant' };
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const place = { content_index: 0 };
  return {
    item: { ...head, status: 'completed', content: [part] },
    announced: { ...head, status: 'in_progress', content: [] },
    body: [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...cutText(text, chunkChars).map((delta) => ({
        type: 'response.output_text.delta',
        ...place,
        delta,
        logprobs: [],
      })),
      { type: 'response.output_text.done', ...place, text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
    ],
  };
}

function refusalItem(refusal: string, chunkChars: number): EncodedItem {
  const head = { type: 'message', id: serviceId('msg'), role: 'assistant' };
  const part = { type: 'refusal', refusal };
  const place = { content_index: 0 };
  return {
    item: { ...head, status: 'completed', content: [part] },
    announced: { ...head, status: 'in_progress', content: [] },
    body: [
      { type: 'response.content_part.added', ...place, part: { ...part, refusal: '' } },
      ...cutText(refusal, chunkChars).map((delta) => ({ type: 'response.refusal.delta', ...place, delta })),
      { type: 'response.refusal.done', ...place, refusal },
      { type: 'response.content_part.done', ...place, part },
    ],
  };
}

function reasoningItem(text: string, chunkChars: number): EncodedItem {
  const head = { type: 'reasoning', id: serviceId('rs') };
  const part = { type: 'summary_text', text };
  const place = { summary_index: 0 };
  const name = 'response.reasoning_summary';
  return {
    item: { ...head, summary: [part] },
    announced: { ...head, summary: [] },
    body: [
      { type: `${name}_part.added`, ...place, part: { ...part, text: '' } },
      ...cutText(text, chunkChars).map((delta) => ({ type: `${name}_text.delta`, ...place, delta })),
      { type: `${name}_text.done`, ...place, text },
      { type: `${name}_part.done`, ...place, part },
    ],
  };
}

/** The announced item has no action yet: the service reports its query when it is done. */
function searchItem({ query, pages = [], errorCode }: ScriptedWebSearch): EncodedItem {
  const head = { type: 'web_search_call', id: serviceId('ws') };
  const sources = pages.map(({ url }) => ({ type: 'url', url }));
  const name = 'response.web_search_call';
  const hasFailed = errorCode !== undefined;
  return {
    item: {
      ...head,
      status: hasFailed ? 'failed' : 'completed',
      action: { type: 'search', query, queries: [query], sources },
    },
    announced: { ...head, status: 'in_progress' },
    body: [
      { type: `${name}.in_progress` },
      { type: `${name}.searching` },
      ...(hasFailed ? [] : [{ type: `${name}.completed` }]),
    ],
  };
}

function callItem(block: SettledBlock & { type: 'tool' }, chunkChars: number): EncodedItem {
  const { name, input, tool } = block;
  const callId = serviceId('call');
  if (tool?.kind === 'built-in' && name === 'local_shell') {
    const action = { type: 'exec', env: {}, ...(isObject(input) ? input : {}) };
    const head = { type: 'local_shell_call', id: serviceId('lsh'), call_id: callId, action };
    return {
      item: { ...head, status: 'completed' },
      announced: { ...head, status: 'in_progress' },
      body: [],
    };
  }
  if (tool?.kind === 'text' && typeof input === 'string') {
    const head = { type: 'custom_tool_call', id: serviceId('ctc'), call_id: callId, name };
    return growingCall(head, 'input', input, chunkChars);
  }
  const group = tool?.namespace === undefined ? {} : { namespace: tool.namespace };
  const head = { type: 'function_call', id: serviceId('fc'), call_id: callId, name, ...group };
  return growingCall(head, 'arguments', argumentsText(block), chunkChars);
}

function growingCall(
  head: WireItem,
  field: 'input' | 'arguments',
  whole: string,
  chunkChars: number,
): EncodedItem {
  const name = `response.${head.type}_${field}`;
  return {
    item: { ...head, status: 'completed', [field]: whole },
    announced: { ...head, status: 'in_progress', [field]: '' },
    body: [
      ...cutText(whole, chunkChars).map((delta) => ({ type: `${name}.delta`, delta })),
      { type: `${name}.done`, [field]: whole },
    ],
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
