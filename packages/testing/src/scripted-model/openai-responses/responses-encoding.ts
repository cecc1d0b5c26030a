/** Message encoder of OpenAI Responses: the body, and the event order of the stream. */
import { serviceId } from '../anthropic/anthropic-encoding.ts';
import { type EncodedMessage, serverSentEvent, type SettledMessage } from '../turn/model-wire.ts';
import { encodeItem, type JsonObject, type WireItem } from './responses-items.ts';

/** An encoded message, with its stored part. */
export interface EncodedResponse extends EncodedMessage {
  readonly id: string;
  readonly output: readonly WireItem[];
}

/** An event without its sequence number. */
interface ResponseEvent extends JsonObject {
  type: string;
}

/**
 * Encodes a message: `response.created`, `response.in_progress`, then for each item `response.output_item.added`, its deltas and
 * `response.output_item.done`, then `response.completed` (or `response.incomplete`) with the usage.
 */
export function encodeResponse(message: SettledMessage): EncodedResponse {
  const id = serviceId('resp');
  const items = message.blocks.map((block) => encodeItem(block, message));
  const output = items.map(({ item }) => item);
  const head = { id, object: 'response', created_at: nowSeconds(), model: message.model, error: null };
  const begun = { ...head, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const isWhole = message.finishReason !== 'length';
  const whole: JsonObject = {
    ...head,
    status: isWhole ? 'completed' : 'incomplete',
    incomplete_details: isWhole ? null : { reason: 'max_output_tokens' },
    output,
    usage: usageOf(message),
  };
  const events: ResponseEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ item, announced, body }, index) => [
      { type: 'response.output_item.added', output_index: index, item: announced },
      ...body.map((event) => ({ ...event, item_id: item.id, output_index: index })),
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: isWhole ? 'response.completed' : 'response.incomplete', response: whole },
  ];
  const numbered = events.map((event, index) =>
    serverSentEvent(event.type, { ...event, sequence_number: index }),
  );
  return { id, output, whole, events: numbered };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function usageOf({ usage }: SettledMessage): JsonObject {
  const inputTokens = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cacheReadInputTokens,
      cache_write_tokens: usage.cacheCreationInputTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + usage.outputTokens,
  };
}
