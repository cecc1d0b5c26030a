/** Truncates tool results for the model: keeps head and tail, with a notice in between. Pure. */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { isLongerThan } from '@truecast/core/internal/kit/utf8-length';
import type { ToolResultPart } from '@truecast/client/internal/wire/message-parts';

const SMALLEST_BUDGET_BYTES = 16 * 1024;
const UNKNOWN_BUDGET_BYTES = 64 * 1024;
/** A third of the context, at three bytes per token. */
const BYTES_PER_CONTEXT_TOKEN = 1;
const MARKER_BYTES = 256;

/** Returns the maximum UTF-8 bytes of one result for a model with this context. */
export function resultBudgetBytes(contextLimitTokens: number | undefined): number {
  if (contextLimitTokens === undefined) return UNKNOWN_BUDGET_BYTES;
  return Math.max(SMALLEST_BUDGET_BYTES, contextLimitTokens * BYTES_PER_CONTEXT_TOKEN);
}

/**
 * Truncates a text to at most `maxBytes` of UTF-8 (at least 512): two thirds from its head, one
 * from its tail, at character boundaries.
 */
export function truncateText(text: string, maxBytes: number): string {
  if (!isLongerThan(text, maxBytes)) return text;
  const bytes = new TextEncoder().encode(text);
  const room = maxBytes - MARKER_BYTES;
  const head = startOfCharacter(bytes, Math.floor((room * 2) / 3));
  const tail = endOfCharacter(bytes, bytes.length - (room - head));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const marker = `\n[… ${tail - head} bytes are left out here, so that the rest fits; ask for a smaller part to see them …]\n`;
  return `${decoder.decode(bytes.subarray(0, head))}${marker}${decoder.decode(bytes.subarray(tail))}`;
}

/**
 * Truncates a result that is too large. JSON then becomes text. An accepted answer is never
 * truncated.
 */
export function truncateResult(part: ToolResultPart, maxBytes: number): ToolResultPart {
  if (part.tool_name === FINALIZER_NAME && !part.is_error) return part;
  const text = typeof part.result === 'string' ? part.result : JSON.stringify(part.result);
  return isLongerThan(text, maxBytes) ? { ...part, result: truncateText(text, maxBytes) } : part;
}

/** A UTF-8 continuation byte begins with the bits 10. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (isInside(bytes[start])) start -= 1;
  return start;
}

function endOfCharacter(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isInside(bytes[end])) end += 1;
  return end;
}
