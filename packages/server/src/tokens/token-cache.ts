/**
 * Cache of access tokens on Postgres, where each lookup is a round trip. A revocation clears it by
 * notification. If the notification is lost, a revoked token works for one more second.
 */
import type { Store } from '@truecast/store/internal/database/store';
import type { AccessToken } from '../contract/access-tokens.ts';

/** Notification channel for the ids of revoked tokens. */
export const TOKEN_CHANNEL = 'token';

const KEPT_MS = 1_000;
const MAX_TOKENS = 1_000;

interface KeptToken {
  readonly token: AccessToken;
  readonly untilMs: number;
}

/** Access tokens of one store, by hash. */
export class TokenCache {
  readonly #now: () => number;
  /** Oldest first. */
  readonly #kept = new Map<string, KeptToken>();
  /** Number of times that the cache was cleared. */
  #cleared = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the kept token, or the result of `find`. */
  async find(hash: string, find: () => Promise<AccessToken | undefined>): Promise<AccessToken | undefined> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined && kept.untilMs > this.#now()) return kept.token;
    const cleared = this.#cleared;
    const token = await find();
    // A row that was read before a revocation must not be kept after it.
    if (token !== undefined && cleared === this.#cleared) this.#keep(hash, token);
    return token;
  }

  clear(): void {
    this.#cleared += 1;
    this.#kept.clear();
  }

  #keep(hash: string, token: AccessToken): void {
    this.#kept.delete(hash);
    this.#kept.set(hash, { token, untilMs: this.#now() + KEPT_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_TOKENS && oldest !== undefined) this.#kept.delete(oldest);
  }
}

const caches = new WeakMap<Store['notifications'], TokenCache>();

/**
 * Returns the cache of a store. Undefined on SQLite, where other processes receive no notification.
 */
export function tokenCacheOf({ dialect, notifications }: Store): TokenCache | undefined {
  if (dialect !== 'postgres') return undefined;
  const known = caches.get(notifications);
  if (known !== undefined) return known;
  const cache = new TokenCache();
  caches.set(notifications, cache);
  notifications.subscribe(TOKEN_CHANNEL, () => cache.clear());
  return cache;
}
