/** Owns what the engine and an agent know of each other: the turn that is given, and what comes back. */
import type { Usage } from '../../errors/usage.ts';
import type { EventProvenance, LedgerEvent } from '../ledger/ledger-event.ts';

/** One call of a model, as the governor charges it; failed calls are charged too. */
export interface ModelCall {
  readonly model: string;
  readonly usage: Usage;
  readonly durationMs: number;
  /** `ok`, or why the call gave no answer. */
  readonly code: string;
}

/** What an agent is given when it is its turn. */
export interface AgentTurn {
  readonly runId: string;
  readonly turn: number;
  readonly seed: string;
  /** The event that woke the agent; absent for a scheduled turn. */
  readonly cause?: LedgerEvent;
  /** What the agent may see, oldest first: its own, public kinds, and what it subscribes to; bounded by its memory. */
  readonly visible: readonly LedgerEvent[];
  /** How many events became visible since the agent's own last `agent.reflected`; counted by the ledger, so it outlives a crash. */
  readonly unreflected: number;
  /** The scene as told last. */
  readonly scene: string;
  /** The run ends after this turn: a judge must rule now. */
  readonly isLast: boolean;
  readonly signal: AbortSignal;
  /**
   * Charges a call to the run's budget; to be called after every call, failed ones too, before its answer is used.
   *
   * @throws BudgetExceededError when the budget is spent
   */
  charge(call: ModelCall): Promise<void>;
}

/** What an agent made of its turn. */
export type AgentAct =
  | {
      readonly type: 'event';
      readonly kind: string;
      readonly payload: Readonly<Record<string, unknown>>;
      /** How a model's answer was got; left out where code decided. */
      readonly provenance?: EventProvenance;
      readonly model?: string;
    }
  /** Nothing usable came: the ledger tells so by `agent.skipped`. */
  | {
      readonly type: 'skipped';
      readonly reason: string;
      readonly provenance: EventProvenance;
      readonly model: string;
    }
  /** The agent chose to say nothing: the ledger tells so by `agent.abstained`. */
  | { readonly type: 'abstained' };

/** A member of a cast. */
export interface EnsembleAgent {
  readonly name: string;
  act(turn: AgentTurn): Promise<AgentAct>;
}
