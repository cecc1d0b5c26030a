/** SHA-256 of a text in hex. */
import { createHash } from 'node:crypto';

/**
 * Returns the hash of `text` in UTF-8. Computed on this thread, because in the thread pool it would
 * wait for disk syncs.
 */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
