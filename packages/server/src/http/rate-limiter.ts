/** Token-bucket rate limiter, one bucket per access token, with counts of open requests and streams. */
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { TokenLimits } from './server-parts.ts';

interface Bucket {
  left: number;
  filledAtMs: number;
  requests: number;
  streams: number;
}

const MINUTE_MS = 60_000;

/** Counts the requests of each token in this process. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #limits: TokenLimits;
  readonly #now: () => number;

  /** @param now - milliseconds of a monotonic clock: a step of the wall clock must neither lock tokens out nor let them burst */
  constructor(limits: TokenLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Admits a request. Returns a function to call once when it is over.
   *
   * @throws RequestRefusedError `rate-limited`, `too-many-open`
   */
  enter(tokenId: string, kind: 'requests' | 'streams'): () => void {
    const bucket = this.#refill(tokenId);
    if (bucket.left < 1) {
      const perMs = this.#limits.requestsPerMinute / MINUTE_MS;
      throw new RequestRefusedError(
        `The token exceeded its limit of ${this.#limits.requestsPerMinute} requests per minute. Wait for the time in the retry-after header.`,
        { code: 'rate-limited', retryAfterSeconds: Math.ceil((1 - bucket.left) / perMs / 1_000) },
      );
    }
    const most = kind === 'streams' ? this.#limits.openStreams : this.#limits.concurrentRequests;
    if (bucket[kind] >= most) {
      throw new RequestRefusedError(`The token reached its limit of ${most} open ${kind}. End one first.`, {
        code: 'too-many-open',
        retryAfterSeconds: 1,
      });
    }
    bucket.left -= 1;
    bucket[kind] += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      bucket[kind] -= 1;
    };
  }

  #refill(tokenId: string): Bucket {
    const nowMs = this.#now();
    const most = this.#limits.requestsPerMinute;
    const bucket = this.#buckets.get(tokenId) ?? { left: most, filledAtMs: nowMs, requests: 0, streams: 0 };
    const gained = ((nowMs - bucket.filledAtMs) * most) / MINUTE_MS;
    bucket.left = Math.min(most, bucket.left + gained);
    bucket.filledAtMs = nowMs;
    this.#buckets.set(tokenId, bucket);
    return bucket;
  }
}
