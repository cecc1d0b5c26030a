/** Ledger event: its shape and the provenance of the answer. */
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type {
  EventRepair,
  EventTier,
  EventViolation,
} from '@truecast/core/internal/event-contract/event-result';

/** One fact of a run. Immutable. */
export interface LedgerEvent {
  readonly id: string;
  readonly runId: string;
  /** Position on the ledger. Grows with every append, across all runs. */
  readonly offset: number;
  readonly turn: number;
  readonly kind: string;
  readonly actor: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly schemaVersion: 1;
  /** Id of the event that this one answers. */
  readonly causedBy?: string;
  /** The model that wrote it. */
  readonly model?: string;
  readonly provenance?: EventProvenance;
}

/** How the answer in an event was obtained. */
export interface EventProvenance {
  /**
   * The agent's path: `validated` if its provider validates. Plain text used as speech is
   * `prompted` on either path.
   */
  readonly path: 'validated' | 'prompted';
  /** The rung of the ladder that gave the answer. */
  readonly rung: EventRung;
  /**
   * Validated attempts that returned an answer, the first included. 0 if the provider does not
   * validate.
   */
  readonly attempts: number;
  readonly tier?: EventTier;
  readonly repairs?: readonly EventRepair[];
  readonly violations?: readonly EventViolation[];
  /** The kind that the model requested without a grant. */
  readonly requestedKind?: string;
  /** Rules of the answer's schema that the engine was not asked to hold. Validation held them. */
  readonly unenforced?: NonNullable<Provenance['unenforced']>;
  /** True if the model was asked again for the verdict's winner. */
  readonly winnerReAsked?: boolean;
  /** True if the model was asked again because it repeated a line. */
  readonly repeatReAsked?: boolean;
}

/**
 * `validated`: by construction. `received`: parsed from a failed call's text. `prompted`: by one
 * prompted call. `raw`: the unparsed text.
 */
export type EventRung = 'validated' | 'received' | 'prompted' | 'raw';
