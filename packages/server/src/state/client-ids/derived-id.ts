/** Ids derived from the key of a request, so that a repeated request finds the row of the first one. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';

/** Returns a UUID of version 8 for a key. */
export function derivedId(key: JsonValue): string {
  const hash = createHash('sha256').update(canonicalJson(key)).digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u, '$1-$2-8$3-8$4-$5');
}

/** Returns the id of a row that a tool call creates. Call ids repeat across messages. */
export function idOfCall(call: {
  readonly chatId: string;
  readonly messageId: number;
  readonly toolCallId: string;
}): string {
  return derivedId([call.chatId, call.messageId, call.toolCallId]);
}
