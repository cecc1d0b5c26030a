/**
 * Rate gate of one model: closed until the time that its service asks for, then open for more calls
 * each second. Pure: the caller passes the time.
 */

/**
 * Maximum accepted `retry-after`. A service that requests a day must not delay a request that long.
 */
export const MAX_ASKED_MS = 300_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** Calls of the first second after the gate opens. Each following second allows twice as many. */
const FIRST_CALLS = 4;
const STEP_MS = 1_000;
/** After this many seconds, calls are not counted any more. */
const STEPS = 7;

export class RateGate {
  /** Time at which it opens, or opened. Undefined without a limit. */
  #openAtMs: number | undefined;
  /** Calls since it opened. */
  #calls = 0;
  /** Times that it closed before the previous ramp was complete. */
  #closings = 0;

  /**
   * Closes the gate after a rate limit. Several limits at once close it until the latest time.
   *
   * @param askedMs - the delay that the service asked for. Without one, the delay doubles each time
   */
  close(nowMs: number, askedMs: number | undefined): void {
    const isClosed = this.#openAtMs !== undefined && nowMs < this.#openAtMs;
    if (!isClosed) this.#closings = this.#isPacing(nowMs) ? this.#closings + 1 : 1;
    const ownMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#closings - 1));
    const openAtMs = nowMs + Math.min(MAX_ASKED_MS, askedMs ?? ownMs);
    this.#openAtMs = isClosed ? Math.max(this.#openAtMs ?? 0, openAtMs) : openAtMs;
    this.#calls = 0;
  }

  /** Opens the gate for a few calls first, because everything waited for its service. */
  ramp(nowMs: number): void {
    if (this.#openAtMs !== undefined && nowMs < this.#openAtMs) return;
    this.#openAtMs = nowMs;
    this.#calls = 0;
  }

  /** Returns the milliseconds until a call is allowed. */
  waitMs(nowMs: number): number {
    if (this.#openAtMs === undefined || !this.#isPacing(nowMs)) return 0;
    const sinceMs = nowMs - this.#openAtMs;
    if (sinceMs < 0) return -sinceMs;
    const step = Math.floor(sinceMs / STEP_MS);
    const allowed = FIRST_CALLS * (2 ** (step + 1) - 1);
    return this.#calls < allowed ? 0 : (step + 1) * STEP_MS - sinceMs;
  }

  /** Counts a call that starts. */
  begin(): void {
    this.#calls += 1;
  }

  isClosed(nowMs: number): boolean {
    return this.#openAtMs !== undefined && nowMs < this.#openAtMs;
  }

  /** True while the gate is closed, or opens step by step. */
  #isPacing(nowMs: number): boolean {
    return this.#openAtMs !== undefined && nowMs < this.#openAtMs + STEPS * STEP_MS;
  }
}
