/**
 * Circuit breaker of one model: opens when several requests fail and none succeeds, and then allows
 * one call at a time, as a probe. Pure: the caller passes the time.
 *
 * A request counts once, however often its call is repeated. Requests of one owner open the circuit
 * for that owner only, because their content can be the reason.
 */
import type { PacedCaller } from './fair-waiters.ts';
import { MAX_ASKED_MS } from './rate-gate.ts';

/** Failed requests that open the circuit. */
const REQUESTS_TO_OPEN = 3;
/** Owners whose requests must fail before the circuit opens for all of them. */
const OWNERS_TO_OPEN = 2;
/** Failures count for this time. */
const WINDOW_MS = 60_000;
/** The interval between two probes doubles from the first to the longest. */
const FIRST_PROBE_MS = 2_000;
const LONGEST_PROBE_MS = 60_000;
/** Longest interval before the probe of an owner of whom no request failed. */
const FRESH_PROBE_MS = 10_000;
/** Failed requests that are remembered. */
const MOST_FAILURES = 1_000;
/** Rank of a caller that needs no probe. Those of failed requests are times. */
export const CLOSED_RANK = -3;
const FRESH_OWNER_RANK = -2;
const FRESH_REQUEST_RANK = -1;

/** Whether calls of a model are allowed: all, none, or one as a probe. */
export type CircuitState = 'closed' | 'open' | 'probing';

type Caller = Pick<PacedCaller, 'owner' | 'request'>;

export class CircuitBreaker {
  /** Failed requests since the last success: the latest failures last. */
  readonly #failures = new Map<string, { readonly owner: Caller['owner']; readonly atMs: number }>();
  /** Owners for whom it is open. */
  readonly #openFor = new Set<Caller['owner']>();
  #isOpenForAll = false;
  #probeMs = 0;
  #intervalMs = FIRST_PROBE_MS;
  /** Time before which the service asked for no call. */
  #askedUntilMs = 0;

  /** Returns the milliseconds until a call is allowed. */
  waitMs({ owner }: Pick<Caller, 'owner'>, nowMs: number): number {
    if (!this.isOpenFor(owner)) return 0;
    const interval = this.#hasFailed(owner) ? this.#intervalMs : Math.min(this.#intervalMs, FRESH_PROBE_MS);
    return Math.max(0, this.#probeMs + interval - nowMs, this.#askedUntilMs - nowMs);
  }

  /** Records that an allowed call starts. While the circuit is open, it is the probe. */
  begin({ owner }: Caller, nowMs: number): void {
    if (!this.isOpenFor(owner)) return;
    this.#probeMs = nowMs;
    this.#intervalMs = Math.min(LONGEST_PROBE_MS, this.#intervalMs * 2);
  }

  /**
   * Position of a caller among those that wait for the probe: owners without a failure are first, then
   * requests without one, then the request whose failure is the oldest.
   */
  rank({ owner, request }: Caller): number {
    if (!this.isOpenFor(owner)) return CLOSED_RANK;
    if (!this.#hasFailed(owner)) return FRESH_OWNER_RANK;
    return this.#failures.get(request)?.atMs ?? FRESH_REQUEST_RANK;
  }

  /** Records a failure that a later call can avoid. Returns true if it opens the circuit. */
  fail({ owner, request }: Caller, nowMs: number, askedMs = 0): boolean {
    const wasOpen = this.isOpenFor(owner);
    this.#failures.delete(request);
    this.#failures.set(request, { owner, atMs: nowMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    this.#askedUntilMs = Math.max(this.#askedUntilMs, nowMs + Math.min(askedMs, MAX_ASKED_MS));
    const recent = [...this.#failures.values()].filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
    const owners = new Set(recent.map((failure) => failure.owner));
    if (recent.length >= REQUESTS_TO_OPEN && owners.size >= OWNERS_TO_OPEN) this.#isOpenForAll = true;
    const own = recent.filter((failure) => failure.owner === owner);
    if (own.length >= REQUESTS_TO_OPEN) this.#openFor.add(owner);
    const isOpening = !wasOpen && this.isOpenFor(owner);
    if (isOpening) {
      this.#probeMs = nowMs;
      this.#intervalMs = FIRST_PROBE_MS;
    }
    return isOpening;
  }

  /** Records an answer of the service, including a refusal. Returns true if it closes the circuit. */
  succeed(): boolean {
    const isClosing = this.isOpen;
    this.#failures.clear();
    this.#openFor.clear();
    this.#isOpenForAll = false;
    this.#askedUntilMs = 0;
    return isClosing;
  }

  isOpenFor(owner: Caller['owner']): boolean {
    return this.#isOpenForAll || this.#openFor.has(owner);
  }

  /** True if it is open for at least one owner. */
  get isOpen(): boolean {
    return this.#isOpenForAll || this.#openFor.size > 0;
  }

  state(nowMs: number): CircuitState {
    if (!this.isOpen) return 'closed';
    return this.#probeMs + this.#intervalMs > nowMs || this.#askedUntilMs > nowMs ? 'open' : 'probing';
  }

  #hasFailed(owner: Caller['owner']): boolean {
    return this.#failures.values().some((failure) => failure.owner === owner);
  }
}
