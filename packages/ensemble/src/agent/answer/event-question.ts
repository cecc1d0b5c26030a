/** Question to a model on a turn, and its result from any rung of the ladder. */
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import type { EventPayload } from '@truecast/core/internal/event-contract/event-result';
import type { EventProvenance } from '../../ledger/ledger-event.ts';
import type { AgentTurn } from '../../scenario/ensemble-agent.ts';
import type { Provider } from '../../providers/provider.ts';

export interface EventQuestion {
  readonly turn: AgentTurn;
  readonly provider: Provider;
  readonly contract: EventContractOptions;
  readonly system: string;
  /**
   * Builds the prompt for a path, with `notes` as its last blocks. The prompted path appends the
   * answer format.
   */
  promptFor(path: EventProvenance['path'], notes?: readonly string[]): string;
  /** Further validated attempts. @default the provider's */
  readonly maxRetries?: number;
}

/** An event, or the reason for its absence. */
export type EventAnswer =
  | {
      readonly type: 'event';
      readonly payload: EventPayload;
      readonly provenance: EventProvenance;
      readonly model: string;
      /** The model's reasoning, if it was separate from its text. */
      readonly reasoning?: string;
    }
  | {
      readonly type: 'skipped';
      readonly reason: string;
      readonly provenance: EventProvenance;
      readonly model: string;
    };
