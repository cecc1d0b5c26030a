/**
 * Circuit breakers: one per model. After several failures in a row, all chats and callers of the
 * process together send one probe a minute to the model.
 */

/** Failures in a row that open a circuit. */
const FAILURES_TO_OPEN = 5;
/** Minimum time between two calls while a circuit is open. */
const PROBE_MS = 60_000;

interface Circuit {
  failures: number;
  /** Time of the next allowed probe, while the circuit is open. */
  probeAtMs: number;
}

/** Whether calls of a model are allowed: all, none, or one as a probe. */
export type CircuitState = 'closed' | 'open' | 'probing';

/** The circuits of a process. They are not stored. A new process starts with closed circuits. */
export class ModelCircuits {
  readonly #circuits = new Map<string, Circuit>();
  readonly #now: () => number;

  /** @param now - milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Returns 0 if a call is allowed, else the milliseconds until the next probe. Allowing a probe
   * starts the next minute, so that a probe without an answer blocks nothing for longer.
   */
  admit(model: string): number {
    const waitMs = this.waitMs(model);
    const circuit = this.#circuits.get(model);
    if (waitMs === 0 && isOpen(circuit)) circuit.probeAtMs = this.#now() + PROBE_MS;
    return waitMs;
  }

  /** Returns the milliseconds until a call is allowed. Reserves no probe. */
  waitMs(model: string): number {
    const circuit = this.#circuits.get(model);
    return isOpen(circuit) ? Math.max(0, circuit.probeAtMs - this.#now()) : 0;
  }

  /** Records an answer of the service, including a refusal. */
  succeed(model: string): void {
    this.#circuits.set(model, { failures: 0, probeAtMs: 0 });
  }

  /** Records a failure that a later call can avoid. `askedMs` is the delay that the service requested. */
  fail(model: string, askedMs = 0): void {
    const failures = (this.#circuits.get(model)?.failures ?? 0) + 1;
    this.#circuits.set(model, { failures, probeAtMs: this.#now() + Math.max(PROBE_MS, askedMs) });
  }

  state(model: string): CircuitState {
    if (!isOpen(this.#circuits.get(model))) return 'closed';
    return this.waitMs(model) > 0 ? 'open' : 'probing';
  }

  /** The state of each model that was called. */
  list(): readonly { readonly model: string; readonly state: CircuitState }[] {
    return [...this.#circuits.keys()].map((model) => ({ model, state: this.state(model) }));
  }

  /** Number of models whose circuit is not closed. */
  countOpen(): number {
    return this.list().filter(({ state }) => state !== 'closed').length;
  }
}

function isOpen(circuit: Circuit | undefined): circuit is Circuit {
  return circuit !== undefined && circuit.failures >= FAILURES_TO_OPEN;
}
