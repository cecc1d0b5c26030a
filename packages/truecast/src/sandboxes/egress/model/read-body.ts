/**
 * Buffering of guest requests before they are sent, with a memory limit for all requests of a
 * proxy.
 */
import type { IncomingMessage } from 'node:http';

/** Larger than any model service accepts in one request. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Requests can wait for each other, so many bodies can be held at the same time. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** Memory shared by the requests of one proxy. */
export interface HeldBodies {
  /**
   * Returns a request's body and a function that frees it. Returns undefined if the request was
   * truncated or exceeds the memory limit.
   */
  read(request: IncomingMessage): Promise<HeldBody | undefined>;
}

export interface HeldBody {
  readonly bytes: Buffer;
  free(): void;
}

export function createHeldBodies(): HeldBodies {
  let heldBytes = 0;
  return {
    async read(request) {
      const chunks: Buffer[] = [];
      let length = 0;
      const free = (): void => {
        heldBytes -= length;
        length = 0;
      };
      try {
        for await (const chunk of request as AsyncIterable<Buffer>) {
          length += chunk.length;
          heldBytes += chunk.length;
          if (length > MAX_BODY_BYTES || heldBytes > MAX_HELD_BYTES) {
            free();
            return undefined;
          }
          chunks.push(chunk);
        }
        return { bytes: Buffer.concat(chunks), free };
      } catch {
        free();
        return undefined;
      }
    },
  };
}
