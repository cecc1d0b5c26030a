/** Visible events of one cast member: a bounded window, updated event by event. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { CastMember } from '../scenario/ensemble-scenario.ts';
import { isVisibleTo } from './subscription.ts';

/** The newest visible events of a member, and the count since its last reflection. */
export class AgentView {
  readonly #member: CastMember;
  #events: LedgerEvent[] = [];
  #unreflected = 0;

  constructor(member: CastMember) {
    this.#member = member;
  }

  /** Adds an event. Never throws. */
  apply(event: LedgerEvent): void {
    if (!isVisibleTo(this.#member, event)) return;
    const isReflection = event.kind === 'agent.reflected' && event.actor === this.#member.name;
    this.#unreflected = isReflection ? 0 : this.#unreflected + 1;
    this.#events.push(event);
    const { window } = this.#member.memory;
    // Truncates at twice the window, so that the cost per event is constant.
    if (this.#events.length > 2 * window) this.#events = this.#events.slice(this.#events.length - window);
  }

  /**
   * Returns the newest visible events, oldest first. Later events do not change the returned list.
   */
  visible(): readonly LedgerEvent[] {
    return this.#events.slice(Math.max(0, this.#events.length - this.#member.memory.window));
  }

  get unreflected(): number {
    return this.#unreflected;
  }
}
