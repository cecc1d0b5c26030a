/** Owns what stands on the ledger: the shape of an event, and how its answer was got. */
import type { EventRepair, EventTier, EventViolation } from '../contract/event-result.ts';

/** One fact of a run; never changed once it is on the ledger. */
export interface LedgerEvent {
  readonly id: string;
  readonly runId: string;
  /** Its place on the ledger: grows with every append, over all runs. */
  readonly offset: number;
  readonly turn: number;
  readonly kind: string;
  readonly actor: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly schemaVersion: 1;
  /** The id of the event that this one answers. */
  readonly causedBy?: string;
  /** The model that said it. */
  readonly model?: string;
  readonly provenance?: EventProvenance;
}

/** How the answer in an event was got. */
export interface EventProvenance {
  /** Which path the agent took: `validated` where its provider validates. Words that were taken as they came are `prompted` on either. */
  readonly path: 'validated' | 'prompted';
  /** Which rung of the ladder gave the answer. */
  readonly rung: EventRung;
  /** Validated tries that brought an answer, the first one included; 0 where the provider does not validate. */
  readonly attempts: number;
  readonly tier?: EventTier;
  readonly repairs?: readonly EventRepair[];
  readonly violations?: readonly EventViolation[];
  /** The kind that the model asked for when it was not granted. */
  readonly requestedKind?: string;
  /** The verdict's winner was asked for again. */
  readonly winnerReAsked?: boolean;
}

/** `validated`: by construction; `received`: read out of a failed call's text; `prompted`: by one prompted call; `raw`: the words as they came. */
export type EventRung = 'validated' | 'received' | 'prompted' | 'raw';
