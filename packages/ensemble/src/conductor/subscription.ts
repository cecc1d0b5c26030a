/** Subscriptions: which members an event wakes, and which can see it. Pure. */
import { PUBLIC_KINDS } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { memberOf } from '../ledger/fold.ts';
import type { CastMember, Subscription } from '../scenario/ensemble-scenario.ts';

/** Returns true if an event wakes a member: it subscribes to the event and did not append it. */
export function isWokenBy(member: CastMember, event: LedgerEvent): boolean {
  return event.actor !== member.name && isSubscribed(member, event);
}

/** Returns true if a member can see an event: its own, a public one, or a subscribed one. */
export function isVisibleTo(member: CastMember, event: LedgerEvent): boolean {
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
