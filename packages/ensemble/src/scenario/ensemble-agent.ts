/** Interface between the engine and an agent: the turn that goes in and the act that comes out. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { EventProvenance, LedgerEvent } from '../ledger/ledger-event.ts';

/** One model call, as the governor charges it. Failed calls are charged too. */
export interface ModelCall {
  readonly model: string;
  /** Absent if the service reported none. A limit on tokens or money then ends the run. */
  readonly usage?: Usage;
  readonly durationMs: number;
  /** `ok`, or the reason why the call returned no answer. */
  readonly code: string;
}

/** Input of an agent's turn. */
export interface AgentTurn {
  readonly runId: string;
  readonly turn: number;
  readonly seed: string;
  /** The event that woke the agent. Absent for a scheduled turn. */
  readonly cause?: LedgerEvent;
  /**
   * Events visible to the agent, oldest first: its own, public kinds, and subscribed kinds. Limited
   * by its memory.
   */
  readonly visible: readonly LedgerEvent[];
  /**
   * Events that became visible since the agent's last `agent.reflected`. Counted by the ledger, so
   * it survives a crash.
   */
  readonly unreflected: number;
  /** The latest scene. */
  readonly scene: string;
  /** True if the run ends after this turn: a judge must decide now. */
  readonly isLast: boolean;
  readonly signal: AbortSignal;
  /** Receives the growing text of the answer: a preview, never the answer. @default none */
  readonly onText?: (text: string) => void;
  /**
   * Charges a call to the run's budget. Call it after every call, failed ones included, before you
   * use the answer.
   *
   * @throws BudgetExceededError when the budget is spent
   */
  charge(call: ModelCall): Promise<void>;
}

/** Output of an agent's turn. */
export type AgentAct =
  | {
      readonly type: 'event';
      readonly kind: string;
      readonly payload: Readonly<Record<string, unknown>>;
      /** How a model's answer was obtained. Absent if code decided. */
      readonly provenance?: EventProvenance;
      readonly model?: string;
    }
  /** No usable answer. The ledger records `agent.skipped`. */
  | {
      readonly type: 'skipped';
      readonly reason: string;
      readonly provenance: EventProvenance;
      readonly model: string;
    }
  /** The agent chose not to speak. The ledger records `agent.abstained`. */
  | { readonly type: 'abstained' };

/** A member of a cast. */
export interface EnsembleAgent {
  readonly name: string;
  act(turn: AgentTurn): Promise<AgentAct>;
}
