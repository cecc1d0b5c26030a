/** Size accounting of stream chunks, for the limit of one reply. */
import type { LanguageModelStreamPart, TextStreamPart, ToolSet } from 'ai';

/** A part of the SDK's streams. */
type StreamedPart = LanguageModelStreamPart | TextStreamPart<ToolSet>;

/** Fixed cost of an item without text, such as a call. A delta extends an existing item. */
const OWN_BYTES = 64;

/**
 * Returns the approximate number of bytes kept for a chunk. Never 0, so that every stream is
 * bounded.
 */
export function partBytes(part: StreamedPart): number {
  const metadata = 'providerMetadata' in part ? jsonBytes(part.providerMetadata) : 0;
  return metadata + ownBytes(part);
}

function ownBytes(part: StreamedPart): number {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return 1 + Buffer.byteLength(part.text);
    case 'tool-input-delta':
      return 1 + Buffer.byteLength(part.delta);
    case 'file':
      return OWN_BYTES + part.file.base64.length;
    case 'source':
      return OWN_BYTES + jsonBytes('url' in part ? [part.url, part.title] : part.title);
    case 'tool-result':
      return OWN_BYTES + jsonBytes(part.output);
    case 'tool-error':
      return OWN_BYTES + jsonBytes(part.error);
    default:
      return OWN_BYTES;
  }
}

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '');
}
