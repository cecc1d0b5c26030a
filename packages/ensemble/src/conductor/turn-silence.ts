/** Counter of turns without an event although members answered: their models do not comply. Pure. */
import { CONDUCTOR, VISITOR } from '../ledger/event-kinds.ts';
import { textOf } from '../ledger/fold.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';

/** Turns in a row in which answers were unusable, and no member produced an event. */
export class TurnSilence {
  #before = 0;
  #hasEvent = false;
  #hasUnusable = false;

  /** Counts the turn that ends. A turn in which no member answered changes nothing. */
  beginTurn(): void {
    this.#before = this.turns;
    this.#hasEvent = false;
    this.#hasUnusable = false;
  }

  apply({ actor, kind, payload }: LedgerEvent): void {
    if (actor === VISITOR) return;
    if (actor !== CONDUCTOR) this.#hasEvent = true;
    // A member without calls left was not heard.
    const isUnheard = textOf(payload, 'reason')?.startsWith('budget: ') === true;
    if (actor === CONDUCTOR && kind === 'agent.skipped' && !isUnheard) this.#hasUnusable = true;
  }

  /** Includes the current turn. */
  get turns(): number {
    if (this.#hasEvent) return 0;
    return this.#before + (this.#hasUnusable ? 1 : 0);
  }
}
