/** Events of one cast member: those that wake it, and a bounded window of the visible ones. Pure. */
import { PUBLIC_KINDS } from '../ledger/event-kinds.ts';
import { memberOf } from '../ledger/fold.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { CastMember, Subscription } from '../scenario/ensemble-scenario.ts';

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

/** Returns true if an event wakes a member: it subscribes to the event and did not append it. */
export function isWokenBy(member: CastMember, event: LedgerEvent): boolean {
  return event.actor !== member.name && isSubscribed(member, event);
}

/** Returns true if a member can see an event: its own, a public one, or a subscribed one. */
function isVisibleTo(member: CastMember, event: LedgerEvent): boolean {
  return event.actor === member.name || PUBLIC_KINDS.has(event.kind) || isSubscribed(member, event);
}

function isSubscribed(member: CastMember, event: LedgerEvent): boolean {
  return member.subscribesTo.some((subscription) => matches(subscription, event));
}

function matches(subscription: Subscription, { kind, payload }: LedgerEvent): boolean {
  if (typeof subscription === 'string') return subscription === kind;
  if (subscription.kind !== kind) return false;
  return Object.entries(subscription.when).every(([field, value]) => memberOf(payload, field) === value);
}
