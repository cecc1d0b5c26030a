/** Size limit of an answer. Pure. */
import type { AnyOutputDefinition } from './definition.ts';

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** Returns the size limit of an answer, in bytes of UTF-8. */
export function maxBytesOf({ maxPayloadBytes = DEFAULT_MAX_BYTES }: AnyOutputDefinition): number {
  return maxPayloadBytes;
}
