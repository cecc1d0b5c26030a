/** Payload fields that one agent shows to another. Pure. */
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import type { CompleteManifest } from '../../manifest/agent-manifest.ts';
import type { AgentScenario } from '../../scenario/agent-scenario.ts';

/** Returns the fields of an event that are shown beside its text. */
export type FieldsOf = (event: LedgerEvent) => readonly string[];

/**
 * Shows the fields that the author's manifest publishes, and those that decide whether the agent
 * wakes.
 */
export function shownFields(
  { subscribesTo }: Pick<CompleteManifest, 'subscribesTo'>,
  { cast = [] }: AgentScenario,
): FieldsOf {
  const published = new Map(cast.map(({ name, publicFields = [] }) => [name, publicFields]));
  const waking = (kind: string): readonly string[] =>
    subscribesTo.flatMap((subscription) =>
      typeof subscription !== 'string' && subscription.kind === kind ? Object.keys(subscription.when) : [],
    );
  return ({ actor, kind }) => [...(published.get(actor) ?? []), ...waking(kind)];
}
