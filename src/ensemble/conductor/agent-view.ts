/** Owns what one member of the cast can see: a bounded window that grows event by event. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { CastMember } from './ensemble-scenario.ts';
import { isVisibleTo } from './subscription.ts';

/** The events that a member can see, the newest ones, and how many came since it last reflected. */
export class AgentView {
  readonly #member: CastMember;
  #events: LedgerEvent[] = [];
  #unreflected = 0;

  constructor(member: CastMember) {
    this.#member = member;
  }

  /** Takes in an event. Never throws. */
  apply(event: LedgerEvent): void {
    if (!isVisibleTo(this.#member, event)) return;
    const isReflection = event.kind === 'agent.reflected' && event.actor === this.#member.name;
    this.#unreflected = isReflection ? 0 : this.#unreflected + 1;
    this.#events.push(event);
    const { window } = this.#member.memory;
    // Cut at twice the window, so that an event costs the same however many came before.
    if (this.#events.length > 2 * window) this.#events = this.#events.slice(this.#events.length - window);
  }

  /** Returns the newest visible events, oldest first; later events do not change it. */
  visible(): readonly LedgerEvent[] {
    return this.#events.slice(Math.max(0, this.#events.length - this.#member.memory.window));
  }

  get unreflected(): number {
    return this.#unreflected;
  }
}
