/** Waiting callers of a model: owners take turns, and the callers of one owner keep their order. */

export interface PacedCaller {
  /** The server's name of the model. */
  readonly model: string;
  /** Callers without an owner count as those of one owner. */
  readonly owner: string | undefined;
  /** Id of the chat, or of the answer of `/v1`. A repeated call has the same id. */
  readonly request: string;
}

export interface WaitingCaller extends PacedCaller {
  readonly sinceMs: number;
  readonly waitsFor: WaitCause;
  /** Called when its call is allowed. */
  readonly wake: () => void;
}

/** Why a call waits: for the service's rate limit, or for a service that fails. */
export type WaitCause = 'rate_limit' | 'outage';

/** The waiting callers of one model. */
export class FairWaiters {
  readonly #byOwner = new Map<string | undefined, Map<string, WaitingCaller>>();

  /** Adds a caller. It replaces an earlier wait of the same request. */
  add(waiter: WaitingCaller): void {
    const own = this.#byOwner.get(waiter.owner) ?? new Map<string, WaitingCaller>();
    this.#byOwner.set(waiter.owner, own.set(waiter.request, waiter));
  }

  /** Removes and returns the wait of a request. */
  delete({ owner, request }: PacedCaller): WaitingCaller | undefined {
    const own = this.#byOwner.get(owner);
    const waiter = own?.get(request);
    own?.delete(request);
    if (own?.size === 0) this.#byOwner.delete(owner);
    return waiter;
  }

  /** Removes a caller that was woken. Its owner is now the last one. */
  take(waiter: WaitingCaller): void {
    const { owner } = waiter;
    this.delete(waiter);
    const left = this.#byOwner.get(owner);
    if (left === undefined || !this.#byOwner.delete(owner)) return;
    // A map lists its keys in the order of their insertion.
    this.#byOwner.set(owner, left);
  }

  /** Lists the callers of each owner, the owner that is next first. */
  lists(): Iterable<Iterable<WaitingCaller>> {
    return this.#byOwner.values().map((own) => own.values());
  }
}
