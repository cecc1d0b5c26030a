/** Owns what is asked of a model on a turn, and what comes back, whichever rung of the ladder brought it. */
import type { EventContractOptions } from '../contract/event-options.ts';
import type { EventPayload } from '../contract/event-result.ts';
import type { EventProvenance } from '../ledger/ledger-event.ts';
import type { AgentTurn } from './ensemble-agent.ts';
import type { Provider } from './provider.ts';

/** One question. */
export interface EventQuestion {
  readonly turn: AgentTurn;
  readonly provider: Provider;
  readonly contract: EventContractOptions;
  readonly system: string;
  /** The prompt as the path needs it, with `notes` as its last blocks; on the prompted path the form of the answer follows them. */
  promptFor(path: EventProvenance['path'], notes?: readonly string[]): string;
  /** Validated answers after the first. @default the provider's own */
  readonly maxRetries?: number;
}

/** An event, or why there is none. */
export type EventAnswer =
  | {
      readonly type: 'event';
      readonly payload: EventPayload;
      readonly provenance: EventProvenance;
      readonly model: string;
      /** What the model thought, where it was told apart from its words. */
      readonly reasoning?: string;
    }
  | {
      readonly type: 'skipped';
      readonly reason: string;
      readonly provenance: EventProvenance;
      readonly model: string;
    };
