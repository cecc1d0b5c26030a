/** Message encoder of Gemini: the body, and the chunks of the stream. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { serviceId } from '../anthropic/anthropic-encoding.ts';
import { cutText } from '../turn/cut-text.ts';
import type { EncodedMessage, SettledBlock, SettledMessage } from '../turn/model-wire.ts';
import type { JsonObject } from '../openai-responses/responses-items.ts';
import type { ScriptedWebSearch } from '../turn/scripted-reply.ts';

const FINISH_REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
} as const satisfies Record<SettledMessage['finishReason'], string>;

/**
 * Encodes a message: each chunk is a response with a part of the content, and the last one has the
 * finish reason.
 */
export function encodeGemini(message: SettledMessage): EncodedMessage {
  const { blocks, chunkChars } = message;
  const responseId = serviceId('gemini');
  const response = (parts: readonly JsonObject[], isLast: boolean): JsonObject => ({
    candidates: [
      {
        content: { parts: [...parts], role: 'model' },
        ...(isLast && { finishReason: FINISH_REASONS[message.finishReason], ...groundingOf(message) }),
        index: 0,
      },
    ],
    usageMetadata: usageOf(message),
    modelVersion: message.model,
    responseId,
  });
  const shown = blocks.filter(({ type }) => type !== 'web-search' || !isGrounded(message));
  const pieces = nonEmpty(shown.flatMap((block) => partsOf(block, chunkChars)));
  const whole = nonEmpty(shown.flatMap((block) => partsOf(block, Number.MAX_SAFE_INTEGER)));
  return {
    whole: response(whole, true),
    events: pieces.map((piece, index) => dataOf(response([piece], index === pieces.length - 1))),
  };
}

/** Text is split. A call never is: it is sent in one part. */
function partsOf(block: SettledBlock, chunkChars: number): JsonObject[] {
  switch (block.type) {
    case 'text':
      return cutText(block.text, chunkChars).map((text) => ({ text }));
    case 'thinking':
      return cutText(block.text, chunkChars).map((text) => ({ text, thought: true }));
    case 'web-search':
      return searchParts(block.search);
    case 'tool':
    default:
      return [{ functionCall: { name: block.name, args: block.input } }];
  }
}

/** Before Gemini 3 a search is not part of the content: its results are separate metadata. */
function isGrounded({ model }: SettledMessage): boolean {
  return /gemini-[12]\b/u.test(model);
}

function groundingOf(message: SettledMessage): JsonObject {
  const searches = message.blocks.flatMap((block) => (block.type === 'web-search' ? [block.search] : []));
  if (searches.length === 0 || !isGrounded(message)) return {};
  return {
    groundingMetadata: {
      webSearchQueries: searches.map(({ query }) => query),
      groundingChunks: searches.flatMap(({ pages = [] }) =>
        pages.map(({ url, title }) => ({ web: { uri: url, title } })),
      ),
    },
  };
}

function searchParts({ query, pages = [] }: ScriptedWebSearch): JsonObject[] {
  const place = { id: serviceId('search'), toolType: 'GOOGLE_SEARCH_WEB' };
  return [
    { toolCall: { ...place, args: { queries: [query] } } },
    { toolResponse: { ...place, response: { pages: pages.map(({ url, title }) => ({ url, title })) } } },
  ];
}

function nonEmpty(parts: readonly JsonObject[]): readonly JsonObject[] {
  return parts.length === 0 ? [{ text: '' }] : parts;
}

function usageOf({ usage }: SettledMessage): JsonObject {
  const { inputTokens, cacheReadInputTokens: cached, cacheCreationInputTokens, outputTokens } = usage;
  const promptTokens = inputTokens + cached + cacheCreationInputTokens;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: promptTokens + outputTokens,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
  };
}

function dataOf(data: JsonValue): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}
