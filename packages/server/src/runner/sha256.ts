/** SHA-256 of a text in hex. */
import { createHash } from 'node:crypto';

/**
 * Returns the hash of `text` in UTF-8. On this thread: on the pool it would wait for syncs of the
 * disk.
 */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
