/**
 * Pacing of the model calls of a process: a rate gate and a circuit breaker for each model, and the
 * callers that wait for them. They are not stored.
 */
import { CLOSED_RANK, CircuitBreaker, type CircuitState } from './circuit-breaker.ts';
import { FairWaiters, type PacedCaller, type WaitCause, type WaitingCaller } from './fair-waiters.ts';
import { RateGate } from './rate-gate.ts';

/** A caller that was woken and does not call loses its turn after this time. */
const PASS_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface PacingClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs `work` after a delay. The returned function cancels it. */
  after(delayMs: number, work: () => void): () => void;
}

/** A time that a call waited, and what for. */
export interface CallWait {
  readonly waitedMs: number;
  readonly waitedFor: WaitCause;
}

/** Answer to a caller. A call that waited has its wait. */
export type Admission =
  | { readonly isAllowed: true; readonly wait?: CallWait }
  | ({ readonly isAllowed: false; readonly waitMs: number } & StartedWait);

/** A wait that began: why, and when. */
export interface StartedWait {
  readonly cause: WaitCause;
  readonly sinceMs: number;
}

export interface PacingChange {
  readonly model: string;
  readonly change: 'limited' | 'circuit_opened' | 'circuit_closed';
  /** Milliseconds until the next call. */
  readonly waitMs: number;
}

/** State of a model: that of its circuit, and whether its calls wait for a rate limit. */
export interface PacingState {
  readonly model: string;
  readonly state: CircuitState;
  readonly isLimited: boolean;
}

export interface ModelPacingOptions {
  /** @default the clock and the timers of the process */
  readonly clock?: PacingClock;
  readonly onChange?: (change: PacingChange) => void;
}

interface PacedModel {
  readonly gate: RateGate;
  readonly breaker: CircuitBreaker;
  readonly waiters: FairWaiters;
  /** Callers that were woken, by their request. */
  readonly passes: Map<string, CallWait & { readonly atMs: number }>;
  cancelTimer?: (() => void) | undefined;
}

export class ModelPacing {
  readonly #models = new Map<string, PacedModel>();
  readonly #clock: PacingClock;
  readonly #onChange: (change: PacingChange) => void;

  constructor({ clock = PROCESS_CLOCK, onChange = () => undefined }: ModelPacingOptions = {}) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Allows a call, or returns how long it must wait. */
  admit(caller: PacedCaller): Admission {
    const model = this.#models.get(caller.model);
    if (model === undefined) return { isAllowed: true };
    const waiter = model.waiters.delete(caller);
    const pass = model.passes.get(caller.request);
    if (model.passes.delete(caller.request) && pass !== undefined) {
      const { waitedMs, waitedFor } = pass;
      return { isAllowed: true, wait: { waitedMs, waitedFor } };
    }
    this.#wakeAllowed(caller.model, model);
    const admission = this.peek(caller);
    if (!admission.isAllowed) {
      return waiter === undefined ? admission : { ...admission, sinceMs: waiter.sinceMs };
    }
    this.#begin(model, caller);
    if (waiter === undefined) return admission;
    const { sinceMs, waitsFor: waitedFor } = waiter;
    return { isAllowed: true, wait: { waitedMs: this.#clock.now() - sinceMs, waitedFor } };
  }

  /** Returns if a call is allowed now. Reserves nothing. */
  peek(caller: PacedCaller): Admission {
    const model = this.#models.get(caller.model);
    if (model === undefined || model.passes.has(caller.request)) return { isAllowed: true };
    const nowMs = this.#clock.now();
    const gateMs = model.gate.waitMs(nowMs);
    const breakerMs = model.breaker.waitMs(caller, nowMs);
    if (gateMs === 0 && breakerMs === 0) return { isAllowed: true };
    const waitMs = Math.ceil(Math.max(gateMs, breakerMs));
    const cause = breakerMs > gateMs ? 'outage' : 'rate_limit';
    return { isAllowed: false, waitMs, cause, sinceMs: nowMs };
  }

  /** Wakes a caller once, when its call is allowed. The returned function ends the wait. */
  wait(caller: PacedCaller, { cause, sinceMs }: StartedWait, wake: () => void): () => void {
    const model = this.#models.get(caller.model) ?? this.#add(caller.model);
    const { model: id, owner, request } = caller;
    model.waiters.add({ model: id, owner, request, wake, waitsFor: cause, sinceMs });
    this.#wakeAllowed(id, model);
    return () => void model.waiters.delete(caller);
  }

  /** Records an answer of the service, including a refusal. */
  succeed({ model: id }: Pick<PacedCaller, 'model'>): void {
    const model = this.#models.get(id) ?? this.#add(id);
    if (!model.breaker.succeed()) return;
    model.gate.ramp(this.#clock.now());
    this.#onChange({ model: id, change: 'circuit_closed', waitMs: 0 });
    this.#wakeAllowed(id, model);
  }

  /** Records a rate limit: the service works. `askedMs` is the delay that it asked for. */
  limit(caller: PacedCaller, askedMs: number | undefined): void {
    const model = this.#models.get(caller.model) ?? this.#add(caller.model);
    const nowMs = this.#clock.now();
    const wasClosed = model.gate.isClosed(nowMs);
    model.gate.close(nowMs, askedMs);
    this.succeed(caller);
    if (!wasClosed) {
      this.#onChange({ model: caller.model, change: 'limited', waitMs: model.gate.waitMs(nowMs) });
    }
    this.#wakeAllowed(caller.model, model);
  }

  /** Records a failure that a later call can avoid. `askedMs` is the delay that the service asked for. */
  fail(caller: PacedCaller, askedMs?: number): void {
    const model = this.#models.get(caller.model) ?? this.#add(caller.model);
    const nowMs = this.#clock.now();
    if (model.breaker.fail(caller, nowMs, askedMs)) {
      const waitMs = model.breaker.waitMs(caller, nowMs);
      this.#onChange({ model: caller.model, change: 'circuit_opened', waitMs });
    }
    this.#wakeAllowed(caller.model, model);
  }

  /** The state of each model that was called. */
  list(): readonly PacingState[] {
    const nowMs = this.#clock.now();
    return [...this.#models].map(([model, { breaker, gate }]) => ({
      model,
      state: breaker.state(nowMs),
      isLimited: gate.isClosed(nowMs),
    }));
  }

  /** Number of models whose circuit is not closed. */
  countOpen(): number {
    return this.list().filter(({ state }) => state !== 'closed').length;
  }

  /** Stops all timers. Callers that wait are not woken any more. */
  close(): void {
    for (const model of this.#models.values()) this.#cancelTimer(model);
  }

  #add(id: string): PacedModel {
    const model = {
      gate: new RateGate(),
      breaker: new CircuitBreaker(),
      waiters: new FairWaiters(),
      passes: new Map(),
    };
    this.#models.set(id, model);
    return model;
  }

  #begin({ gate, breaker }: PacedModel, caller: PacedCaller): void {
    gate.begin();
    breaker.begin(caller, this.#clock.now());
  }

  /** Wakes each caller whose call is allowed now, and sets a timer for the next one. */
  #wakeAllowed(id: string, model: PacedModel): void {
    this.#cancelTimer(model);
    const nowMs = this.#clock.now();
    for (const [request, { atMs }] of model.passes) if (atMs < nowMs - PASS_MS) model.passes.delete(request);
    for (let next = this.#next(model); next !== undefined; next = this.#next(model)) {
      if (next.waitMs > 0) {
        const delayMs = Math.min(LONGEST_TIMER_MS, Math.ceil(next.waitMs));
        this.#cancelTimer(model);
        model.cancelTimer = this.#clock.after(delayMs, () => this.#wakeAllowed(id, model));
        return;
      }
      const { waiter } = next;
      model.waiters.take(waiter);
      this.#begin(model, waiter);
      const { request, sinceMs, waitsFor: waitedFor } = waiter;
      model.passes.set(request, { waitedMs: nowMs - sinceMs, waitedFor, atMs: nowMs });
      waiter.wake();
    }
  }

  #cancelTimer(model: PacedModel): void {
    model.cancelTimer?.();
    model.cancelTimer = undefined;
  }

  /** Returns the caller that is next, and how long it still waits. */
  #next({ gate, breaker, waiters }: PacedModel): NextCaller | undefined {
    const nowMs = this.#clock.now();
    const gateMs = gate.waitMs(nowMs);
    let best: (NextCaller & { readonly rank: number }) | undefined;
    for (const own of waiters.lists()) {
      for (const waiter of own) {
        const waitMs = Math.max(gateMs, breaker.waitMs(waiter, nowMs));
        const rank = breaker.rank(waiter);
        const isBefore =
          best === undefined || waitMs < best.waitMs || (waitMs === best.waitMs && rank < best.rank);
        if (isBefore) best = { waiter, waitMs, rank };
        // Without a probe, the callers of one owner keep their order.
        if (rank === CLOSED_RANK) break;
      }
      // Nobody is before a caller whose circuit is closed. Hundreds can be woken at once.
      if (best?.rank === CLOSED_RANK) break;
    }
    return best;
  }
}

interface NextCaller {
  readonly waiter: WaitingCaller;
  readonly waitMs: number;
}

const PROCESS_CLOCK: PacingClock = {
  now: () => performance.now(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
